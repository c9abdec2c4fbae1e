#!/usr/bin/env python3
"""class_members.py counts what a class offers, however the declarations are written."""
import unittest

from class_members import Classes


def counted(text):
    return {name: count for name, _, count in Classes(text).found}


def members(*lines):
    """How many public members a class with these lines has."""
    return counted("class A {\n public:\n" + "\n".join(lines) + "\n};\n")["A"]


class ClassMembers(unittest.TestCase):
    def test_functions_and_constructors_count_and_each_overload(self):
        self.assertEqual(members("explicit A(int a);", "A();", "void f();", "void f(int);",
                                 "static A make();", "virtual void g() const = 0;"), 6)

    def test_what_is_deleted_and_destructors_do_not_count(self):
        self.assertEqual(members("A(const A&) = delete;", "A& operator=(const A&) = delete;",
                                 "~A();", "virtual ~A() = default;", "A(A&&) = default;"), 1)

    def test_data_types_and_friends_do_not_count(self):
        self.assertEqual(members("int a = f(1);", "std::function<void(int)> on;", "int b{g()};",
                                 "using T = int(int);", "struct In;", "enum class E { x, y };",
                                 "friend bool same(A, A);", "static_assert(sizeof(A) == 4);",
                                 "void (*call)(int);", "std::vector<std::pair<int, int>> v{{1}};",
                                 "friend class B;", "[[maybe_unused]] int c;"), 0)

    def test_operators_templates_and_names_of_a_base_count(self):
        self.assertEqual(members("bool operator<(const A&) const;", "int operator()(int) const;",
                                 "auto operator<=>(const A&) const = default;",
                                 "explicit operator bool() const { return a < b; }",
                                 "template <class T, int n = (1 > 0)>\nvoid f(T);",
                                 "template <class T>\n  requires std::integral<T>\nvoid g(T);",
                                 "using Base::f;", "explicit(false) A(int);",
                                 "decltype(auto) h();", "std::map<int, int> m() const;"), 10)

    def test_bodies_and_initialisers_are_passed_over(self):
        self.assertEqual(members("A(int a) : a_{a}, b_(f({1})), c_<int>{2} { if (a) { g(); } }",
                                 "int f() const { return [] { return 1; }(); }",
                                 "auto g() -> std::vector<int> { return {1, 2}; }",
                                 "void h(int a = b < c, D d = {}) noexcept(true);"), 4)

    def test_only_what_is_public_counts(self):
        text = "class A { void a(); public: void b(); protected: void c(); private: void d(); };"
        self.assertEqual(counted(text), {"A": 1})
        self.assertEqual(counted("struct A { void a(); int b; private: void c(); };"), {"A": 1})

    def test_classes_in_classes_are_counted_for_themselves(self):
        text = """class Outer final : public Base<int>, Other {
 public:
  class Inner { public: void a(); void b(); };
  struct State { void c(); } state;
  void d();
};
struct Outer::Later { void e(); };
template <class T> struct Box<T*> { void f(); };
class Declared;
enum class No { a };"""
        self.assertEqual(counted(text), {"Outer": 1, "Outer::Inner": 2, "Outer::State": 1,
                                         "Outer::Later": 1, "Box": 1})

    def test_comments_literals_and_preprocessor_lines_are_nothing(self):
        self.assertEqual(members("// void a();", "/* void b(); */", '#define X void c();',
                                 'const char* d = "class B { void e(); };";',
                                 "char f = '{';", 'const char* g = R"x(class C { };)x";',
                                 "int big = 1'000'000;", "void h();"), 1)


if __name__ == "__main__":
    unittest.main()
