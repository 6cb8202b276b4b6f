"""Who has only README.md and a table fits it: its own commands and code, in the order in which they stand, in an empty folder, with what was
installed and nothing of the checkout. The table is made up, so that what is printed can be compared with what is true.

usage: newcomer_walk.py program FOLDER_OF_SOTTO
       newcomer_walk.py python PYTHON
       newcomer_walk.py r R_LIBRARY FOLDER_OF_SOTTO
"""
import math
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs"))
from blocks import ROOT, blocks, commands  # noqa: E402

README = (ROOT / "README.md").read_text(encoding="utf-8")
AGE = 0.05  # the effect of a year on the log odds of having been ill
MOST_SECONDS = 600


def block(language, holds=""):
    found = [text for name, text, _ in blocks(README) if name == language and holds in text]
    assert len(found) == 1, f"README.md has {len(found)} blocks of {language!r} with {holds!r}"
    return found[0]


def write_table(path):
    """20,000 rows of 10,000 persons; of those that were ill the count is made up too."""
    generator = random.Random(1)
    with path.open("w", encoding="utf-8") as file:
        file.write("id,age,sex,region,ill,smoker,weight\n")
        for k in range(20000):
            age = generator.randint(18, 100)
            ill = generator.random() < 1 / (1 + math.exp(-AGE * (age - 59)))
            cells = [k // 2, age, generator.choice("fm"), generator.choice(["north", "south", "west"]), generator.randint(1, 9) if ill else 0,
                     generator.choice(["yes", "no", ""]), generator.randint(40, 120)]
            file.write(",".join(map(str, cells)) + "\n")


def run(command, folder, path):
    done = subprocess.run(command, cwd=folder, env={"PATH": f"{path}:/usr/bin:/bin", "HOME": str(folder), "LC_ALL": "C.UTF-8"}, capture_output=True, text=True, timeout=MOST_SECONDS)
    assert done.returncode == 0, f"{command} ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def heading(text):
    """The names of the table's columns, up to those of a comparison."""
    return next(line for line in text.splitlines() if line.startswith("parameter ")).split("|")[0].split()


def compare(printed):
    """With README.md's sample and with what is true."""
    sample = block("", holds="parameter ")
    for line in ("(epsilon, delta) = (1, 1e-06) for one ", "Intervals are about "):
        assert line in sample and line in printed, f"no {line!r} in\n{printed}"
    columns = heading(printed)
    age = next(line for line in printed.splitlines() if line.startswith("age ")).split()
    mean, sd = (float(age[columns.index(name)]) for name in ("mean", "sd"))
    assert abs(mean - AGE) < 5 * sd and sd < AGE / 10, f"the effect of age is {AGE}, and was found as {mean} +- {sd}"


def use_program(folder, path):
    own = [line for line in commands(block("bash", holds="sotto schema patients.csv")) if "patients.csv" in line]
    assert len(own) == 3, own
    printed = ""
    for line in own:
        printed = run(["bash", "-c", line], folder, path)
        if "--out" in line and line.startswith("sotto schema"):  # "then fill in kinds and bounds"
            Path(folder, re.search(r"--out (\S+)", line)[1]).write_text(block("toml", holds="[[column]]"), encoding="utf-8")
    assert heading(printed) == heading(block("", holds="parameter ")), printed
    assert Path(folder, re.search(r"--out (\S+)", own[-1])[1], "report.html").stat().st_size > 10000
    return printed


def main(kind, *where):
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        write_table(folder / "patients.csv")
        if kind == "program":
            printed = use_program(folder, where[0])
        elif kind == "python":
            printed = run([where[0], "-I", "-c", block("python")], folder, "")
        else:
            library = f".libPaths(c('{where[0]}', .libPaths()))\n"
            printed = run(["Rscript", "--vanilla", "-e", library + block("r")], folder, where[1])
        compare(printed)
    print(printed)
    seconds = time.monotonic() - begun
    assert seconds < MOST_SECONDS
    print(f"{kind}: {seconds:.0f} s")


if __name__ == "__main__":
    main(*sys.argv[1:])
