"""Checks that tests mirror the source: tests/<stage>/<name>_test.cpp includes a header of src/sotto/<stage> (the one of its
name, where there is one), and every stage has a test. Folders of tests that ask about several stages at once are listed here.

usage: check_mirror.py [ROOT]
"""
import re
import sys
from pathlib import Path

ACROSS = {
    "cli": "the program, by its command line",
    "compile_fail": "what must not compile",
    "contract": "every kernel, by the same demands",
    "docs": "what the pages show",
    "examples": "the examples, run",
    "install": "the installed package",
    "link_fail": "what must not link",
    "privacy": "promises through the whole program",
    "sotto_io": "src/sotto_io",
    "sotto_rpc": "owners in other processes",
    "statistical": "simulations",
    "support": "what tests share",
    "tools": "the checkers",
}
# Stages of types and interfaces alone, or tested through those that stand on them.
UNTESTED = {"release", "chain", "random"}


def faults(stages, tests):
    """`stages`: name -> header paths; `tests`: (folder, file name, text). Yields what breaks the mirror."""
    for folder, name, text in tests:
        if folder in ACROSS:
            continue
        if folder not in stages:
            yield f"tests/{folder}: no such stage of src/sotto"
            continue
        included = re.findall(rf'#include "sotto/({folder}/[\w/]+\.hpp)"', text)
        named = [header for header in stages[folder] if Path(header).stem + "_test.cpp" == name]
        if not included:
            yield f"tests/{folder}/{name}: includes no header of src/sotto/{folder}"
        elif named and not set(named) & set(included):
            yield f"tests/{folder}/{name}: does not include {named[0]}"
    tested = {folder for folder, _, _ in tests}
    for stage in sorted(set(stages) - tested - UNTESTED):
        yield f"src/sotto/{stage}: no tests/{stage}"


def main(root):
    source = root / "src/sotto"
    stages = {
        folder.name: [str(path.relative_to(source)) for path in folder.rglob("*.hpp")]
        for folder in source.iterdir() if folder.is_dir()
    }
    tests = [
        (path.relative_to(root / "tests").parts[0], path.name, path.read_text())
        for path in (root / "tests").rglob("*_test.cpp")
    ]
    found = list(faults(stages, tests))
    for fault in found:
        print(fault)
    print(f"{len(tests)} tests read, {len(found)} out of place")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1]))
