"""Counts the public members of C++ classes, for check_tree.py.

Public member functions and constructors count, each overload for itself; destructors and what is
deleted do not. Structs are classes here, but their data do not count. This reads declarations as
clang-format leaves them and is no parser of C++: tools/class_members_test.py says what it knows.
"""
import re

NOT_MEMBERS = {"friend", "static_assert", "typedef", "enum"}
CLOSES = {"(": ")", "[": "]", "{": "}"}
TOKEN = re.compile(r"\w+|::|->|<=>|[<>]=|\S")


def tokens_of(text):
    """[(token, line)] without comments, literals, attributes and preprocessor lines."""
    noise = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'
                       r"|(?<!\w)'(?:\\.|[^'\\])+'|^[ \t]*#(?:\\\n|[^\n])*|\[\[.*?\]\]",
                       re.S | re.M)
    text = noise.sub(lambda found: "\n" * found[0].count("\n"), text)
    return [(token, number) for number, line in enumerate(text.splitlines(), 1)
            for token in TOKEN.findall(line)]


class Classes:
    """Finds the classes of one file: [(name, line, public members)] in `found`."""

    def __init__(self, text):
        self.tokens = tokens_of(text)
        self.found = []
        self.at = 0
        while self.at < len(self.tokens):
            if not self.take_class(""):
                self.at += 1

    def peek(self, ahead=0):
        at = self.at + ahead
        return self.tokens[at][0] if at < len(self.tokens) else ""

    def skip_group(self):
        """From an opening bracket to behind its closing one."""
        opening, depth = self.peek(), 0
        while self.at < len(self.tokens):
            depth += {opening: 1, CLOSES[opening]: -1}.get(self.peek(), 0)
            self.at += 1
            if depth == 0:
                return

    def skip_angles(self):
        depth = 0
        while self.at < len(self.tokens):
            token = self.peek()
            if token in CLOSES:
                self.skip_group()
                continue
            depth += {"<": 1, ">": -1}.get(token, 0)
            self.at += 1
            if depth == 0:
                return

    def take_class(self, outer):
        """Takes a definition of a class that begins here; if none does, takes nothing: false."""
        before = self.tokens[self.at - 1][0] if self.at else ""
        if self.peek() not in {"class", "struct"} or before in {"enum", "<", ",", "friend"}:
            return False
        start = self.at
        is_public, line = self.peek() == "struct", self.tokens[self.at][1]
        self.at += 1
        name = outer
        while re.fullmatch(r"\w+|::|<", self.peek()) and self.peek() != "final":
            if self.peek() == "<":
                self.skip_angles()
                continue
            name += ("::" if name and name == outer else "") + self.peek()
            self.at += 1
        while self.peek() not in {"{", ";", "", "(", ")", "=", "}"}:  # final, bases
            self.at += 1
        if self.peek() != "{":
            self.at = start
            return False
        self.at += 1
        self.found.append((name, line, self.body(name, is_public)))
        return True

    def body(self, name, is_public):
        """How many public members stand before the closing brace, which is taken."""
        count = 0
        while self.at < len(self.tokens) and self.peek() != "}":
            if self.peek() in {"public", "protected", "private"} and self.peek(1) == ":":
                is_public = self.peek() == "public"
                self.at += 2
                continue
            count += self.member(name) and is_public
        self.at += 1
        return count

    def member(self, name):
        """Takes one declaration; whether it is a member that counts."""
        if self.peek() == "template":
            self.at += 1
            self.skip_angles()
            if self.peek() == "requires":
                self.skip_constraint()
            return self.member(name)
        if self.take_class(name):
            self.to_end()
            return False
        first = self.peek()
        is_function = first not in NOT_MEMBERS and self.to_parameters()
        if not is_function:
            self.to_end()
            return first == "using" and self.is_name_of_a_base
        is_destructor = "~" in self.declared
        self.skip_group()
        return self.to_body_end() and not is_destructor

    def skip_constraint(self):
        """`requires` and a condition, which is a group or a concept."""
        self.at += 1
        while re.fullmatch(r"\w+|::", self.peek()) and self.peek(1) in {"::", "<"}:
            self.at += 1
        if self.peek() == "<":
            self.skip_angles()
        elif self.peek() == "(":
            self.skip_group()

    def to_parameters(self):
        """To the parenthesis of a function's parameters; false when this is something else."""
        self.declared = []
        self.is_name_of_a_base = self.peek() == "using"
        while (token := self.peek()) not in {"", ";", "{", "=", "}"}:
            if token == "operator":
                self.at += 1
                self.declared.append(token)
                if self.peek() == "(":
                    self.skip_group()
                while self.peek() != "(":
                    self.at += 1
                return True
            if token == "<":
                self.skip_angles()
                continue
            if token == "[":
                self.skip_group()
                continue
            if token == "(":
                if self.declared[-1:] and self.declared[-1] in {"explicit", "decltype", "alignas"}:
                    self.skip_group()
                    continue
                return self.peek(1) != "*"
            self.declared.append(token)
            self.at += 1
        self.is_name_of_a_base = self.is_name_of_a_base and token == ";"
        return False

    def to_body_end(self):
        """Behind a function's semicolon or body; false when it is deleted."""
        has_initialisers, deleted, before = False, False, ")"
        while (token := self.peek()) not in {"", ";", "}"}:
            if token == "{":
                is_body = not (has_initialisers and re.fullmatch(r"\w+|>", before))
                self.skip_group()
                before = "}"
                if is_body:
                    return True
                continue
            has_initialisers |= token == ":"
            deleted |= token == "delete"
            if token in {"(", "["}:
                self.skip_group()
                before = ")"
                continue
            before = token
            self.at += 1
        if token == ";":
            self.at += 1
        return not deleted

    def to_end(self):
        """Behind the semicolon of a declaration."""
        while (token := self.peek()) not in {"", ";", "}"}:
            if token in CLOSES:
                self.skip_group()
            else:
                self.at += 1
        if token == ";":
            self.at += 1
