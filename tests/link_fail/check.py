"""A program of the analyst's library alone: it builds as it is, and is refused by compiler or linker with each of its faults.

usage: check.py FILE FAULTS COMPILER [FLAG ...] -- [LIBRARY ...], FAULTS with commas between them
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

file, faults, *rest = sys.argv[1:]
flags, libraries = rest[: rest.index("--")], rest[rest.index("--") + 1 :]


def build(*definitions):
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([*flags, *definitions, file, "-o", f"{folder}/program", *libraries], capture_output=True, text=True)


sound = build()
if sound.returncode != 0:
    sys.exit(f"does not build without a fault either:\n{sound.stderr}")
for fault in faults.split(","):
    expected = re.search(rf"^// {fault}: (.+)$", Path(file).read_text(encoding="utf-8"), re.MULTILINE).group(1)
    broken = build(f"-D{fault}")
    if broken.returncode == 0:
        sys.exit(f"builds with {fault}, but must not")
    if not re.search(expected, broken.stderr):
        sys.exit(f"fails with {fault} for another reason than {expected}:\n{broken.stderr}")
# Nor do the libraries hold what the headers hide.
HIDDEN = re.compile(
    r"\bsotto::(SystemEntropy|DiscreteGaussian|DiscreteLaplace|Privatiser|Budget|Receipt|Table|Rows|DataOwner|AnswerSigner|"
    r"DiscreteGaussianMechanism|NoiseMechanism)(::|\()"
)
archives = [library for library in libraries if library.endswith(".a")]
symbols = subprocess.run(["nm", "-C", "--defined-only", *archives], capture_output=True, text=True, check=True).stdout
held = sorted({line.split(maxsplit=2)[2] for line in symbols.splitlines() if HIDDEN.search(line)})
if held or "sotto::summarise" not in symbols:
    sys.exit("the analyst's libraries hold:\n" + "\n".join(held))
