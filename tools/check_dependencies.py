#!/usr/bin/env python3
"""Refuses a dependency that docs/dependencies.md does not list with a licence, and one listed that nothing asks for.

usage: check_dependencies.py PROJECT_FOLDER
"""
import re
import sys
from pathlib import Path

# Licences that may be linked into what is shipped; the C library is part of every system.
SHIPPED = re.compile(r"MPL|BSL|MIT|Apache|ISC|BSD|C library")
ROW = re.compile(r"^\|(.*)\|\s*$", re.MULTILINE)
NAME = re.compile(r"`([^`]+)`")
FIND = re.compile(r"^\s*(?:find_package|find_dependency)\(\s*([\w+]+)", re.MULTILINE)
PKG_CONFIG = re.compile(r"^\s*pkg_check_modules\(([^)]*)\)", re.MULTILINE)
OPTIONS = {"REQUIRED", "QUIET", "IMPORTED_TARGET", "GLOBAL", "STATIC"}


def rows(text):
    """The cells of every row of every table, with the heading above it."""
    heading = ""
    for line in text.splitlines():
        if line.startswith("## "):
            heading = line[3:]
        found = ROW.match(line)
        if found and not set(line) <= set("|-: "):
            yield heading, [cell.strip() for cell in found.group(1).split("|")]


def listed(text):
    """Every name in back quotes within the tables, and complaints about rows without a licence that fits."""
    names, complaints = set(), []
    for heading, cells in rows(text):
        if cells[-1] == "licence":
            continue
        names.update(NAME.findall(" ".join(cells[:3] if len(cells) > 3 else cells[:1])))
        if not cells[-1]:
            complaints.append(f"{cells[0]}: no licence")
        elif heading.startswith("In the libraries") and not SHIPPED.search(cells[-1]):
            complaints.append(f"{cells[0]}: {cells[-1]} must not be linked into what is shipped")
    return names, complaints


def asked_for(packages, wheels, cmake):
    """Every name that the lists of packages and the CMake files ask for."""
    names = {line.strip() for line in packages.splitlines() if line.strip()}
    names |= {re.split(r"[=<>~\[ ]", line.strip())[0] for line in wheels.splitlines() if line.strip()}
    for text in cmake:
        names.update(FIND.findall(text))
        for call in PKG_CONFIG.findall(text):
            names.update(word for word in call.split()[1:] if word not in OPTIONS)
    return names


def findings(document, packages, wheels, cmake):
    names, complaints = listed(document)
    wanted = asked_for(packages, wheels, cmake) - {"sotto"}
    yield from complaints
    for name in sorted(wanted - names):
        yield f"{name} is not listed in docs/dependencies.md"
    for name in sorted(names - wanted):
        yield f"{name} is listed in docs/dependencies.md, but nothing asks for it"


def cmake_files(root):
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root).parts
        if path.name != "CMakeLists.txt" and path.suffix != ".cmake":
            continue
        if inside[0] in {"build", "out"} or any(part.startswith(".") for part in inside):
            continue
        yield path.read_text(encoding="utf-8")


def main():
    root = Path(sys.argv[1])
    found = list(findings((root / "docs/dependencies.md").read_text(encoding="utf-8"),
                          (root / "tools/apt-packages.txt").read_text(encoding="utf-8"),
                          (root / "tools/python-packages.txt").read_text(encoding="utf-8")
                          + (root / "docs/requirements.txt").read_text(encoding="utf-8"),
                          cmake_files(root)))
    for line in found:
        print(line)
    print(f"{len(found)} findings about dependencies")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
