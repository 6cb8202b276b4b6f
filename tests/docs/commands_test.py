"""The blocks of bash in docs/ and README.md that no page runs by itself do what they show: each command once, with tables made for them.

usage: commands_test.py PROGRAM FOLDER    (a folder to work in; what an earlier run left there goes)
"""
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

from blocks import ROOT, blocks, commands, is_notebook, pages

# Of README.md: they build, and run these tests.
NOT_HERE = {"./demo", "./test"}


def write_tables(folder):
    generator = random.Random(1)
    rows = [(k // 2, generator.randint(18, 100), generator.choice("fm"), generator.choice(["north", "south", "west"])) for k in range(6000)]
    (folder / "patients.csv").write_text("id,age,sex,region,ill,smoker,weight\n" + "".join(
        f"{k},{age},{sex},{region},{int(generator.random() * age / 20)},{generator.choice(['yes', 'no', ''])},{generator.randint(50, 99)}\n" for k, age, sex, region in rows))
    (folder / "new.csv").write_text("age,sex,region\n30,f,north\n85,m,west\n")
    (folder / "survey.csv").write_text("bmi\n" + "".join(f"{generator.gauss(26, 4):.1f}\n" for _ in range(400)))
    (folder / "answers.csv").write_text("hours\n" + "".join(f"{min(60, max(0, generator.gauss(35, 9))):.1f}\n" for _ in range(800)))
    for name in ("data", "examples"):
        (folder / name).symlink_to(ROOT / name)


def main(program, folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    write_tables(folder)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    filled_in = next(block for language, block, _ in blocks(readme) if language == "toml" and "[[column]]" in block)
    texts = [readme, *(text for _, text in pages() if not is_notebook(text))]
    asked = [line for text in texts for language, block, not_run in blocks(text) if language == "bash" and not not_run for line in commands(block)]
    environment = os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}"}
    done = set()
    for line in asked:
        if line in done or line in NOT_HERE:
            continue
        done.add(line)
        print(f"$ {line}", flush=True)
        run = subprocess.run(["bash", "-c", line], cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
        if run.returncode != 0:
            print(run.stdout, run.stderr)
            return 1
        if line.startswith("sotto schema") and "--out" in line:  # README.md: "then fill in kinds and bounds"
            (folder / re.search(r"--out (\S+)", line)[1]).write_text(filled_in, encoding="utf-8")
    assert len(done) > 8, "blocks were not found"
    print(f"{len(done)} commands work")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()))
