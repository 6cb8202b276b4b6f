"""The wheel of tools/wheel fits a table in a new environment, where nothing of the tree can be seen, and as README.md and
docs/ten-minutes.md say. It tells how long wheel and installation took.

usage: wheel_test.py PROJECT_FOLDER
"""
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

root = Path(sys.argv[1])
FIT = """
import numpy, pyarrow, sotto
x = numpy.random.default_rng(1).uniform(0, 1, 5000)
table = pyarrow.table({"x": x, "y": (x > 0.5).astype(float)})
fit = sotto.fit(table, "y ~ x", schema=sotto.Schema({"x": sotto.real(0, 1), "y": sotto.binary()}), epsilon=1, delta=1e-6)
assert fit.privacy["private"], fit.privacy
print(sotto.__file__, sotto.__version__, len(str(fit)))
"""


def seconds(*command):
    """How long it took, on the clock."""
    begun = time.monotonic()
    subprocess.run(command, check=True)
    return f"{time.monotonic() - begun:.0f} s"


built = seconds(root / "tools/wheel")
(wheel,) = (root / "build/dist").glob("sotto-*.whl")
with tempfile.TemporaryDirectory() as work:
    venv.create(work, with_pip=True)
    python = Path(work, "bin/python")
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    installed = seconds(*install, wheel)
    said = subprocess.run([python, "-I", "-c", FIT], cwd=work, check=True, capture_output=True, text=True, env={}).stdout
    assert said.startswith(work), said
    subprocess.run([*install, "pandas"], check=True)
    subprocess.run([python, Path(__file__).with_name("newcomer_walk.py"), "python", python], check=True)
    extra = seconds(*install, f"{wheel}[arviz]")  # Matplotlib, which draws the page's figure, is in it
    subprocess.run([python, Path(__file__).with_name("tutorial.py"), python], check=True)
print(f"{wheel.name}: built in {built}, installed in {installed}, its extra arviz in {extra}")
