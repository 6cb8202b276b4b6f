"""`pip install .[arviz]` for a Python that ArviZ 1 is for brings what reads and draws a fit. Ends with 77 where no such Python is.

It is $PYTHON, or the newest python3.N of the path, or of pyenv, from 3.12 on.

usage: arviz_test.py PROJECT_FOLDER PROGRAM
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

root, program = Path(sys.argv[1]), sys.argv[2]
TELL = "import sys, venv, ensurepip; print(sys.version_info[1] if sys.version_info[0] == 3 else 0)"


def candidates():
    yield os.environ.get("PYTHON")
    for minor in range(20, 11, -1):
        yield shutil.which(f"python3.{minor}")
    if shutil.which("pyenv"):
        home = subprocess.run(["pyenv", "root"], capture_output=True, text=True).stdout.strip()
        yield from sorted(map(str, Path(home, "versions").glob("3.*/bin/python")), reverse=True)


def is_new_enough(python):
    told = subprocess.run([python, "-c", TELL], capture_output=True, text=True)
    return told.returncode == 0 and int(told.stdout) >= 12


python = next((one for one in candidates() if one and is_new_enough(one)), None)
if python is None:
    print("skipped: ArviZ 1 needs Python 3.12 or later, which is not here; name one by PYTHON")
    sys.exit(77)
with tempfile.TemporaryDirectory() as work:
    subprocess.run([python, "-m", "venv", work], check=True)
    new = Path(work, "bin/python")
    subprocess.run([new, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", f"{root}[arviz]", "zarr", "pytest"], check=True)
    told = "import arviz, xarray, sys; print('Python', sys.version.split()[0], 'ArviZ', arviz.__version__, 'xarray', xarray.__version__)"
    said = subprocess.run([new, "-W", "ignore", "-c", told], cwd=work, check=True, capture_output=True, text=True).stdout
    assert "ArviZ 0" not in said, said
    environment = {**os.environ, "SOTTO_PROGRAM": program, "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("PYTHONPATH", None)
    tests = [new, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", root / "python/tests/test_arviz.py"]
    subprocess.run(tests, cwd=work, env=environment, check=True)
print(said.strip())
