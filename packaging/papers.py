"""What stands in every package about what is linked into the program: the licences, and a list of
components (SPDX 2.3). Versions are those that the program itself tells."""
import hashlib
import pathlib
import re
import uuid

DEBIAN = {"x64": "amd64", "arm64": "arm64"}
COPYRIGHTS = pathlib.Path("/usr/share/doc")  # Debian's, which keep notices and licences together
WHOLE_TEXTS = pathlib.Path("/usr/share/common-licenses")
TEXTS = ["Apache-2.0", "CC0-1.0", "LGPL-2.1", "LGPL-3", "GPL-3", "GPL-2"]
NOTICES_MAX = 200_000  # bytes; only Boost has more
INTRODUCTION = """\
pi-mcp is under the MIT licence, in the file LICENSE. These libraries are linked into the program.
Where a licence gives a choice: dbus under AFL-2.1, nettle under LGPL-3.0-or-later. glibc and nettle
are under the GNU LGPL: the program can be linked anew with other versions of them from its source,
by ./dev build; the sources of the libraries are those of Debian's packages of these versions.
"""


def licence_texts(notices):
    """The paragraphs of a copyright file that hold whole licences."""
    paragraphs = re.split(r"\n\s*\n(?=\S)", notices)
    stripped = [text.strip() for text in paragraphs if text.startswith("License:")]
    return "\n\n".join(dict.fromkeys(text for text in stripped if "\n" in text))


def licences(libraries, table):
    """`libraries`: of pi-mcp --version --json; `table`: packaging/libraries.json by name."""
    parts, texts = [INTRODUCTION], {}
    for library in libraries:
        notices = (COPYRIGHTS / table[library["name"]]["package"] / "copyright").read_text()
        # The Boost licence asks for no notices beside programs.
        notices = notices if len(notices) < NOTICES_MAX else licence_texts(notices)
        same = texts.get(notices)
        texts.setdefault(notices, library["name"])
        body = f"The same as those of {same}." if same else notices.strip()
        parts.append(f"{library['name']} {library['version']}: {library['licence']}\n\n{body}\n")
    parts += [f"{name}\n\n{(WHOLE_TEXTS / name).read_text().strip()}\n" for name in TEXTS]
    return ("\n" + "=" * 80 + "\n").join(parts).encode()


def component(library, known, arch):
    version = library["version"].replace("+", "%2B")
    place = f"pkg:deb/debian/{known['package']}@{version}?arch={arch}"
    return {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", library["name"]),
        "name": library["name"],
        "versionInfo": library["version"],
        "supplier": "Organization: Debian",
        "downloadLocation": "NOASSERTION",
        "homepage": known["home"],
        "filesAnalyzed": False,
        "licenseConcluded": library["licence"],
        "licenseDeclared": library["licence"],
        "copyrightText": "NOASSERTION",
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                          "referenceLocator": place}],
    }


def own_component(name, content, facts):
    return {
        "SPDXID": f"SPDXRef-{name}",
        "name": name,
        "versionInfo": facts["version"],
        "supplier": "NOASSERTION",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "MIT",
        "licenseDeclared": "MIT",
        "copyrightText": "NOASSERTION",
        "checksums": [{"algorithm": "SHA256",
                       "checksumValue": hashlib.sha256(content).hexdigest()}],
        "comment": f"linux-{facts['arch']}, commit {facts['commit']}",
    }


def sbom(facts, programs, table, created):
    """A document of SPDX 2.3. `facts`: of pi-mcp --version --json; `programs`: bytes by name;
    `table`: packaging/libraries.json by name; `created`: when, as the specification writes it."""
    own = [own_component(name, content, facts) for name, content in programs.items()]
    digests = "".join(one["checksums"][0]["checksumValue"] for one in own)
    arch = DEBIAN[facts["arch"]]
    linked = [component(library, table[library["name"]], arch) for library in facts["libraries"]]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", one["SPDXID"]) for one in own]
    relations += [(one["SPDXID"], "STATIC_LINK", other["SPDXID"])
                  for one in own for other in linked]
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"pi-mcp-{facts['version']}-linux-{facts['arch']}",
        "documentNamespace": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, digests)}",
        "creationInfo": {"created": created, "creators": ["Tool: pi-mcp-packaging"]},
        "packages": [*own, *linked],
        "relationships": [
            {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}
            for one, kind, other in relations],
    }
