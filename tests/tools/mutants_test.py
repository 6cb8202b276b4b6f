"""The planter of faults finds what is wrong with its list, and tells what the tests saw."""
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

PATH = Path(__file__).resolve().parents[2] / "tools/mutants"
mutants = module_from_spec(spec_from_loader("mutants", SourceFileLoader("mutants", str(PATH))))
mutants.__spec__.loader.exec_module(mutants)

FAULT = {"name": "a", "promise": "p", "file": "f.cpp", "before": "x = 1;", "after": "x = 2;",
         "tests": ["one.Suite.name", "one.All/Cases.hold/*"]}
FILES = {"f.cpp": "int x = 1;\n", "twice.cpp": "x = 1; x = 1;", "src/sotto/sum/f.cpp": "x = 1;",
         "tests/long_tests.txt": "# one.Suite.name is none\n3 one.All/*\n"}
TESTS = {"one": "TEST_F(Suite, name) {\n}\nTEST_P(Cases, hold) {\n}\n"}


def check(*faults):
    return list(mutants.findings(faults, FILES.get, lambda folder: TESTS.get(folder, "")))


assert not check(FAULT), check(FAULT)
assert check({**FAULT, "file": "gone.cpp"})
assert check({**FAULT, "file": "twice.cpp"})
assert check({**FAULT, "before": "y = 1;"})
assert check({**FAULT, "after": FAULT["before"]})
assert check({**FAULT, "tests": []})
assert check({**FAULT, "tests": ["one.Suite.gone"]})
assert check({**FAULT, "tests": ["two.Suite.name"]})
assert check(FAULT, FAULT)
WALL = {**FAULT, "file": "src/sotto/sum/f.cpp"}
assert not check(WALL), check(WALL)
assert check({**WALL, "tests": ["one.All/Cases.hold/*"]})
assert not check({**FAULT, "tests": ["one.All/Cases.hold/*"]})
assert check({key: value for key, value in FAULT.items() if key != "promise"})

assert mutants.by_folder(["one.Suite.name", "two.S.t", "one.All/Cases.hold/*"]) == {
    "one": ["Suite.name", "All/Cases.hold/*"], "two": ["S.t"]}
SEEN = """[ RUN      ] Suite.name
[       OK ] Suite.name (12 ms)
[ RUN      ] All/Cases.hold/3
[  FAILED  ] All/Cases.hold/3, where GetParam() = {1, "a (2 ms)"} (7 ms)
[  FAILED  ] All/Cases.hold/3, where GetParam() = {1, "a (2 ms)"}
"""
assert mutants.RESULT.findall(SEEN) == [("OK", "Suite.name", "12"), ("FAILED", "All/Cases.hold/3", "7")]
print("faults that do not apply and tests that are not there are found")
