#!/usr/bin/env python3
"""Refuses a dependency that docs/dependencies.md does not list with a licence, one listed that nothing asks for, and one in `src`
that is not listed for what is shipped.

usage: check_dependencies.py PROJECT_FOLDER
"""
import re
import sys
import tomllib
from pathlib import Path

# Licences that may be linked into what is shipped; the C library is part of every system.
SHIPPED = re.compile(r"MPL|BSL|MIT|Apache|ISC|BSD|C library")
ROW = re.compile(r"^\|(.*)\|\s*$", re.MULTILINE)
NAME = re.compile(r"`([^`]+)`")
FIND = re.compile(r"^\s*(?:find_package|find_dependency|FetchContent_Declare|ExternalProject_Add)\(\s*([\w+]+)", re.MULTILINE | re.IGNORECASE)
CALL = re.compile(r"^\s*(pkg_check_modules|find_library|target_link_libraries|link_libraries|sotto_test_folder)\(([^)]*)\)", re.MULTILINE | re.IGNORECASE)
OPTIONS = {"REQUIRED", "QUIET", "IMPORTED_TARGET", "GLOBAL", "STATIC", "NAMES", "PUBLIC", "PRIVATE", "INTERFACE"}
TOOLS = {"PkgConfig", "Python", "Python3"}  # what `src` is built with

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)
STANDARD = re.compile(r"[a-z_]+|sys/\w+\.h|(?:fcntl|malloc|pthread|signal|sysexits|time|unistd)\.h")  # of C++ and of the system
MADE = "sotto/v1/owner.grpc.pb.h"  # by protoc
# Whose the other headers from outside are, by the folder or file that an include begins with.
HEADERS = {
    "CLI": "CLI11", "Eigen": "Eigen3", "arrow": "Arrow", "benchmark": "benchmark", "boost": "Boost", "fmt": "fmt", "gmock": "GTest",
    "grpc": "grpc++", "grpcpp": "grpc++", "gtest": "GTest", "hwy": "libhwy", "nanobind": "nanobind", "nlohmann": "nlohmann_json",
    "oneapi": "TBB", "openssl": "OpenSSL", "parquet": "Parquet", "rapidcheck": "rapidcheck", "rapidcheck.h": "rapidcheck",
    "sodium.h": "libsodium", "toml++": "tomlplusplus", "unsupported": "Eigen3",
}

R_FIELD = re.compile(r"^(?:Depends|Imports|LinkingTo|Suggests):(.*(?:\n[ \t].*)*)", re.MULTILINE)
WITH_R = {"R", "graphics", "grDevices", "grid", "methods", "parallel", "stats", "tools", "utils"}


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
    """Every name in back quotes within the tables, those for what is shipped, and complaints about rows without a licence that fits."""
    names, shipped, complaints = set(), set(), []
    for heading, cells in rows(text):
        if cells[-1] == "licence":
            continue
        found = NAME.findall(" ".join(cells[:3] if len(cells) > 3 else cells[:1]))
        names.update(found)
        if heading.startswith("In the libraries"):
            shipped.update(found)
        if not cells[-1]:
            complaints.append(f"{cells[0]}: no licence")
        elif heading.startswith("In the libraries") and not SHIPPED.search(cells[-1]):
            complaints.append(f"{cells[0]}: {cells[-1]} must not be linked into what is shipped")
    return names, shipped, complaints


def of_packages(text):
    """The names in a list of Debian packages, or of wheels with versions."""
    return {re.split(r"[=<>~!\[ ]", line.strip())[0] for line in text.splitlines() if line.strip()}


def of_pyproject(text):
    asked = tomllib.loads(text)
    project = asked["project"]
    lists = [asked["build-system"]["requires"], project["dependencies"], *project["optional-dependencies"].values()]
    return of_packages("\n".join(name for names in lists for name in names))


def of_r(description):
    """The Debian packages of what an R package names, but for what comes with R."""
    names = {name.split("(")[0].strip() for field in R_FIELD.findall(description) for name in field.split(",")}
    return {f"r-cran-{name.lower()}" for name in names - WITH_R}


def of_cmake(text):
    """What a CMake file looks for, and what it links that is no target of ours."""
    text = re.sub(r"#.*", "", text)
    names = set(FIND.findall(text)) - {"sotto"}
    for command, arguments in CALL.findall(text):
        words = re.sub(r"\$<[A-Z_]+:|[>\"]", " ", arguments).split()
        if command == "sotto_test_folder":
            words = words[words.index("LIBRARIES"):] if "LIBRARIES" in words else []
        for word in words[command.lower() != "link_libraries":]:
            name = word.removeprefix("-l").split("::")[0]
            if word not in OPTIONS and not name.startswith(("$", "-", "sotto")):
                names.add(name)
    return names


def of_source(text, is_ours):
    """Whose headers a source includes; a header of nobody by its own name."""
    return {HEADERS.get(included.split("/")[0], included) for included in INCLUDE.findall(text)
            if not STANDARD.fullmatch(included) and not is_ours(included)}


def findings(document, asked, linked):
    """`asked`: every name that anything asks for; `linked`: those that `src` does."""
    names, shipped, complaints = listed(document)
    yield from complaints
    for name in sorted(asked - names):
        yield f"{name} is not listed in docs/dependencies.md"
    for name in sorted((linked - shipped - TOOLS) & names):
        yield f"{name} is asked for in src, and docs/dependencies.md does not list it for what is shipped"
    for name in sorted(names - asked):
        yield f"{name} is listed in docs/dependencies.md, but nothing asks for it"


def read(path):
    return path.read_text(encoding="utf-8")


def asked_within(root, folder):
    """What the CMake files and sources of a folder ask for."""
    names = set()
    for path in sorted((root / folder).rglob("*")):
        if path.name == "CMakeLists.txt" or path.suffix == ".cmake":
            names |= of_cmake(read(path))
        elif path.suffix in (".hpp", ".cpp"):
            places = (path.parent, root / "src", root / "tests", root)
            names |= of_source(read(path), lambda included: included == MADE or any((place / included).exists() for place in places))
    return names


def main():
    root = Path(sys.argv[1])
    linked = asked_within(root, "src")
    asked = linked | of_cmake(read(root / "CMakeLists.txt")) | of_pyproject(read(root / "pyproject.toml")) | of_r(read(root / "r/DESCRIPTION"))
    for folder in ("bench", "cmake", "examples", "experiments", "python", "r", "tests", "tools"):
        asked |= asked_within(root, folder)
    for packages in ("tools/apt-packages.txt", "tools/apt-packages-gate.txt", "tools/python-packages.txt", "docs/requirements.txt"):
        asked |= of_packages(read(root / packages))
    found = list(findings(read(root / "docs/dependencies.md"), asked, linked))
    for line in found:
        print(line)
    print(f"{len(found)} findings about dependencies")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
