"""Checks what the project's text points to: sources in docs/references.bib, errata in docs/errata.md, files in the tree, and
the tests that "Checked by FILE: TEST, TEST" names, as it must; and that the labels of a comment's block begin their lines.

usage: check_citations.py [ROOT]
"""
import re
import sys
from pathlib import Path

KEY = re.compile(r"\[([A-Z][A-Za-z]*\d{2})(?:, [^\]]*)?\](?!\()")
ERRATUM = re.compile(r"\bE(\d{1,2})\b")
ERRATUM_ENTRY = re.compile(r"^\* \*\*E(\d+)\*\* ", re.MULTILINE)
FILE = re.compile(r"(?<![\w/.<-])((?:[\w-]+/)+[\w-]+\.(?:hpp|cpp|py|md|toml|bib))(?![\w*])")
CHECKED_BY = re.compile(r"Checked by\s+(tests/[\w/]+\.cpp):(?:\s|///)+((?:\w+(?:,(?:\s|///)*)?)+)")
CLAIM = re.compile(r"^ *//+ +Checked by\b(.*)$", re.MULTILINE)
DECLARED = re.compile(r"^(?:TEST|TEST_F|TEST_P|TYPED_TEST|RC_GTEST_PROP)\(\s*\w+\s*,\s*(\w+)", re.MULTILINE)
# A label of a comment's block that stands in the middle of a line: the block was run together.
MELTED = re.compile(r"^ *//.*[^/\s] (Computes|Source|Differs|Holds(?: when)?|Checked by) {2,}\S", re.MULTILINE)
MADE_BY_RUNS = ("out/", "build/")


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
    for claim in CLAIM.findall(text):
        if not re.match(r" +tests/[\w/]+\.cpp:(?: +\w|$)", claim):
            yield "name of a test in", f"Checked by{claim}"
    for name, tests in CHECKED_BY.findall(text):
        for test in set(re.findall(r"\w+", tests)) - set(DECLARED.findall(read(name) or "")):
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
    count = 0
    for path in texts:
        for kind, name in broken(path.read_text(), sources, errata, read):
            print(f"{path.relative_to(root)}: no such {kind}: {name}")
            count += 1
    print(f"{len(texts)} files read, {count} broken")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1]))
