"""The citation checker finds what it is there to find."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from check_citations import broken  # noqa: E402

X = "tests/kernel/x_test.cpp"
FILES = {
    X: "TEST(X, there) {}\nTEST_F(X, here) {}",
    "python/tests/test_x.py": "def test_x():\n",
    "r/tests/testthat/test-x.R": 'test_that("x is there, and stays", {\n',
}
TABLE = "| fact | kept by |\n|---|---|\n"
CLEAN = [
    "[CKS20, Theorem 14]", "erratum E5", f"see `{X}`", "a[N10]", "/// Computes   x\n/// Source     [N10]",
    f"/// Checked by {X}: there",
    f"/// Of x. Checked by {X}: there,\n/// here\n/// More of x.",
    f"/// Checked by {X}: there; {X}: here",
    f"Checked by `{X}`: `there`, `here`; `python/tests/test_x.py`: `test_x` and `r/tests/testthat/test-x.R`: `x is there, and stays`.",
    f"# Checked by {X}: there",
    f"`{X}: here` compares, and `{X}`: `there`",
    f"{TABLE}| x | `{X}`: `there`; `{X}`: `here` |\n| y | `tests/kernel`, `python/tests/test_x.py` |\n\n| a | b |\n|---|---|\n| c | `{X}` |",
    f"{TABLE}| nothing is claimed | |",
]
BROKEN = [
    "[ABC99]", "errata E5 and E77", "see `kernel/gone.hpp`", "/// Computes   x Source     [N10]",
    f"Checked by {X}:\n/// gone",
    f"/// Checked by {X}: ther",
    f"/// Checked by {X}",
    f"/// Checked by {X}, {X}: there",
    f"/// Checked by {X}: there; {X}",
    f"Checked by `{X}`: `gone`",
    f"Checked by `{X}`: `there`, `gone`.",
    f"Checked by `{X}`: `there` and `{X}`: `gone`.",
    f"foo. Checked by {X}",
    f"foo. Checked by {X}: gone",
    f"/* Checked by {X}: gone */",
    "/// Checked by everybody",
    "Checked by `python/tests/test_x.py`: `test_y`",
    "Checked by `r/tests/testthat/test-x.R`: `x is there, and goes`",
    f"it holds (`{X}`: `gone`)",
    f"it holds (`{X}: gone`)",
    f"{TABLE}| x | `{X}`: `gone` |",
    f"{TABLE}| x | `{X}` |",
    f"{TABLE}| x | `{X}`, `{X}`: `there` |",
    f"{TABLE}| x | |",
]


def check(text):
    return list(broken(text, {"CKS20", "N10"}, {5}, FILES.get))


for text in CLEAN:
    assert not check(text), text
for text in BROKEN:
    assert check(text), f"not found: {text}"
print(f"{len(BROKEN)} broken citations found")
