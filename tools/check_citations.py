"""Checks what the project's text points to: sources in docs/references.bib, errata in docs/errata.md, files in the tree, and
tests by name. "Checked by" says FILE: TEST, TEST for one file or several, and so does a table whose last column is "test" or
"kept by"; the labels of a comment's block begin their lines.

usage: check_citations.py [ROOT]
"""
import re
import sys
from pathlib import Path

KEY = re.compile(r"\[([A-Z][A-Za-z]*\d{2})(?:, [^\]]*)?\](?!\()")
ERRATUM = re.compile(r"\bE(\d{1,2})\b")
ERRATUM_ENTRY = re.compile(r"^\* \*\*E(\d+)\*\* ", re.MULTILINE)
FILE = re.compile(r"(?<![\w/.<-])((?:[\w-]+/)+[\w-]+\.(?:hpp|cpp|py|R|md|toml|bib))(?![\w*])")
DECLARED = re.compile(
    r'^(?:TEST|TEST_F|TEST_P|TYPED_TEST|RC_GTEST_PROP)\(\s*\w+\s*,\s*(\w+)|^def (test_\w+)|^test_that\("([^"]+)"', re.MULTILINE)
CLAIM = re.compile(r"\bChecked by\b[^\S\n]*")
SPACE = r"(?:\s|///?|#|\*)+"  # also where a comment goes on in its next line
PLACE = r"((?:python/|r/)?tests/[\w/-]+\.(?:cpp|py|R))"
QUOTED = rf"`[^`\n]+`(?:,{SPACE}`[^`\n]+`)*"
NAMED = re.compile(rf"(`?){PLACE}\1:{SPACE}({QUOTED}|\w+(?:,{SPACE}\w+)*)")
NAMED_IN_QUOTES = re.compile(rf"`{PLACE}(?:`:{SPACE}({QUOTED})|: ([^`\n]+)`)")
NEXT = re.compile(rf"(?:,|;| and){SPACE}(?=`?{PLACE})")
UNNAMED = re.compile(rf"`{PLACE}`(?!:{SPACE}`)")
# A label of a comment's block that stands in the middle of a line: the block was run together.
MELTED = re.compile(r"^ *//.*[^/\s] (Computes|Source|Differs|Holds(?: when)?|Checked by) {2,}\S", re.MULTILINE)
MADE_BY_RUNS = ("out/", "build/")


def claimed(text):
    """Every file of tests that a "Checked by" names, with its tests; nothing and the claim where it is of another form."""
    for claim in CLAIM.finditer(text):
        place = claim.end()
        while place is not None:
            found = NAMED.match(text, place)
            yield found.group(2, 3) if found else (None, text[claim.start():].split("\n")[0])
            more = found and NEXT.match(text, found.end())
            place = more.end() if more else None


def untested(text):
    """Rows of a table of promises that leave out the tests, or name a file of C++ tests without saying which."""
    heading = None
    for line in text.splitlines():
        last = line.rstrip().removesuffix("|").split("|")[-1].strip() if line.startswith("|") else None
        heading = heading if heading and last is not None else last
        if heading in ("test", "kept by"):
            if not last and "nothing is claimed" not in line:
                yield line
            for place in UNNAMED.findall(last):
                if place.endswith(".cpp"):
                    yield place


def broken(text, sources, errata, read):
    """What `text` points to and is not there: pairs of kind and name. `read` gives a file's text, or None."""
    for key in KEY.findall(text):
        if key not in sources:
            yield "source", key
    for line in text.splitlines():
        if "errat" in line or "(E" in line:
            for number in ERRATUM.findall(line):
                if int(number) not in errata:
                    yield "erratum", f"E{number}"
    for name in FILE.findall(text):
        if not name.startswith(MADE_BY_RUNS) and read(name) is None:
            yield "file", name
    for label in MELTED.findall(text):
        yield "line of its own for", label
    for row in untested(text):
        yield "name of a test in", row
    quoted = [(name, several or one) for name, several, one in NAMED_IN_QUOTES.findall(text)]
    for name, tests in dict.fromkeys([*claimed(text), *quoted]):
        if name is None:
            yield "name of a test in", tests
            continue
        declared = {found.group(found.lastindex) for found in DECLARED.finditer(read(name) or "")}
        for test in re.findall(r"`[^`]+`|\w+", tests):
            if test.strip("`") not in declared:
                yield f"test in {name}", test


def main(root):
    sources = set(re.findall(r"^@\w+\{(\w+),", (root / "docs/references.bib").read_text(), re.MULTILINE))
    errata = {int(number) for number in ERRATUM_ENTRY.findall((root / "docs/errata.md").read_text())}
    roots = [root, root / "docs", root / "src", root / "src/sotto", root / "tests", root / "python"]

    def read(name):
        return next(((place / name).read_text() for place in roots if (place / name).exists()), None)

    texts = [*root.glob("*.md"), *(root / "docs").rglob("*.md"), *(root / "examples").iterdir()]
    for folder in ("src", "tests", "bench", "experiments", "tools"):
        texts += [path for path in (root / folder).rglob("*") if path.suffix in (".hpp", ".cpp")]
    for folder in ("python", "r"):
        texts += [path for path in (root / folder).rglob("*") if path.suffix in (".py", ".R")]
    count = 0
    for path in texts:
        for kind, name in broken(path.read_text(), sources, errata, read):
            print(f"{path.relative_to(root)}: no such {kind}: {name}")
            count += 1
    print(f"{len(texts)} files read, {count} broken")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1]))
