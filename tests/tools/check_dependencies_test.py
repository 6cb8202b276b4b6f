"""The dependency checker finds what is missing, left over or under a licence that does not fit."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from check_dependencies import findings, of_cmake, of_packages, of_pyproject, of_r, of_source  # noqa: E402

DOCUMENT = """
## In the libraries and the program

| dependency | Debian package | CMake | why it | licence |
|---|---|---|---|---|
| A | `liba-dev` | `A` `liba` | for A | MIT |
| Eigen | | `Eigen3` | headers | MPL-2.0 |

## For building and testing

| dependency | Debian package | CMake | why it | licence |
|---|---|---|---|---|
| T | | `libt` | tests only | LGPL-3.0 |

## R

| package | Debian package | CMake | why it | licence |
|---|---|---|---|---|
| posterior | `r-cran-posterior` | | draws | BSD-3-Clause |

## Python

| package | why it | licence |
|---|---|---|
| `wheel` | for `nothing` | BSD-3-Clause |
"""
CMAKE = """# target_link_libraries(sotto_base PUBLIC libb)
find_package(A 1.0 REQUIRED)
pkg_check_modules(a REQUIRED IMPORTED_TARGET liba)
target_link_libraries(sotto_base PUBLIC A::A ${more} sotto::io PRIVATE $<BUILD_INTERFACE:sotto_build>)
target_link_libraries(test_${folder} PRIVATE -Wl,--as-needed)
"""
TEST_CMAKE = "sotto_test_folder(x TIMEOUT 5 LIBRARIES sotto_io libt)"
SOURCE = '#include <Eigen/Core>\n#include <vector>\n#include <sys/stat.h>\n#include "sotto/own.hpp"'
PYPROJECT = """
[build-system]
requires = ["wheel==1.*"]
[project]
dependencies = [%s]
[project.optional-dependencies]
extra = [%s]
"""
R = "Package: sotto\nDepends: R (>= 4.2)\nImports: posterior (>= 1.0),\n    stats%s\nSuggests: utils%s\nOS_type: unix\n"


def check(document=DOCUMENT, packages="liba-dev\n", wheels="wheel==1.0\n", cmake="", tests="", source="", project=("", ""), r=("", "")):
    linked = of_cmake(CMAKE + cmake) | of_source(SOURCE + source, lambda included: included == "sotto/own.hpp")
    asked = linked | of_cmake(TEST_CMAKE + tests) | of_packages(packages) | of_packages(wheels) | of_pyproject(PYPROJECT % project) | of_r(R % r)
    return list(findings(document, asked, linked))


assert not check(), check()
BROKEN = [
    {"packages": "liba-dev\nlibb-dev\n"},
    {"packages": ""},
    {"wheels": "wheel==1.0\nother>=2\n"},
    {"document": DOCUMENT.replace("MIT", "GPL-2.0")},
    {"document": DOCUMENT.replace("MIT", "")},
    {"source": "\n#include <fftw3.h>"},
    {"source": '\n#include "fftw3.h"'},
    {"source": "\n#include <boost/version.hpp>"},
    {"project": ('"other>=1"', "")},
    {"project": ("", '"other[more]>=1"')},
    {"r": (", other", "")},
    {"r": ("", ",\n    other (>= 2)")},
    {"tests": "\nsotto_test_folder(y LIBRARIES libb)"},
]
BROKEN += [{"cmake": line} for line in (
    "  find_package(B CONFIG QUIET)\n",
    "FIND_PACKAGE(B)\n",
    "find_dependency(B)\n",
    "FetchContent_Declare(B URL x)\n",
    "pkg_check_modules(b REQUIRED IMPORTED_TARGET libb)\n",
    "find_library(b libb)\n",
    "find_library(b NAMES libb REQUIRED)\n",
    "target_link_libraries(sotto_base PUBLIC libb)\n",
    "target_link_libraries(sotto_base\n  PUBLIC A::A\n  PRIVATE libb)\n",
    "target_link_libraries(sotto_base PUBLIC B::B)\n",
    "target_link_libraries(sotto_base PUBLIC -llibb)\n",
    "target_link_libraries(sotto_base PUBLIC $<LINK_ONLY:libb>)\n",
    "link_libraries(libb)\n",
    "target_link_libraries(sotto_base PUBLIC libt)\n",  # listed for tests only
)]
for change in BROKEN:
    assert check(**change), f"not found: {change}"
print(f"{len(BROKEN)} dependencies that are missing, left over or badly licensed are found")
