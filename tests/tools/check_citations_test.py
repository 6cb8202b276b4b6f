"""The citation checker finds what it is there to find."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from check_citations import broken  # noqa: E402

FILES = {"tests/kernel/x_test.cpp": "TEST(X, there) {}"}
CLEAN = ["[CKS20, Theorem 14]", "erratum E5", "see `tests/kernel/x_test.cpp`", "/// Checked by tests/kernel/x_test.cpp: there", "a[N10]", "/// Computes   x\n/// Source     [N10]"]
BROKEN = ["[ABC99]", "errata E5 and E77", "see `kernel/gone.hpp`", "Checked by tests/kernel/x_test.cpp:\n/// gone", "/// Checked by tests/kernel/x_test.cpp: ther",
          "/// Checked by tests/kernel/x_test.cpp", "/// Checked by tests/kernel/x_test.cpp, tests/kernel/x_test.cpp: there", "/// Computes   x Source     [N10]"]


def check(text):
    return list(broken(text, {"CKS20", "N10"}, {5}, FILES.get))


for text in CLEAN:
    assert not check(text), text
for text in BROKEN:
    assert check(text), f"not found: {text}"
print(f"{len(BROKEN)} broken citations found")
