"""The dependency checker finds what is missing, left over or under a licence that does not fit."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from check_dependencies import findings  # noqa: E402

DOCUMENT = """
## In the libraries and the program

| dependency | Debian package | CMake | why it | licence |
|---|---|---|---|---|
| A | `liba-dev` | `A` `liba` | for A | MIT |

## Python

| package | why it | licence |
|---|---|---|
| `wheel` | for `nothing` | BSD-3-Clause |
"""
CMAKE = ["find_package(A 1.0 REQUIRED)\npkg_check_modules(a REQUIRED IMPORTED_TARGET liba)\n"]


def check(document=DOCUMENT, packages="liba-dev\n", wheels="wheel==1.0\n", cmake=tuple(CMAKE)):
    return list(findings(document, packages, wheels, cmake))


assert not check(), check()
assert check(packages="liba-dev\nlibb-dev\n")
assert check(packages="")
assert check(wheels="wheel==1.0\nother>=2\n")
assert check(cmake=[*CMAKE, "  find_package(B CONFIG QUIET)\n"])
assert check(cmake=[*CMAKE, "find_dependency(B)\n"])
assert check(cmake=[*CMAKE, "pkg_check_modules(b REQUIRED IMPORTED_TARGET libb)\n"])
assert check(document=DOCUMENT.replace("MIT", "GPL-2.0"))
assert check(document=DOCUMENT.replace("MIT", ""))
print("dependencies that are missing, left over or badly licensed are found")
