"""Who has docs/ten-minutes.md, its table and what was installed draws its figure: the Python lines are those of the page, as they stand there,
and what they give is compared with the numbers that the page shows.

usage: tutorial.py PYTHON
"""
import json
import re
import subprocess
import sys
import tempfile
import time
from math import hypot
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs"))
from blocks import ROOT, blocks  # noqa: E402

PAGE = (ROOT / "docs/ten-minutes.md").read_text(encoding="utf-8")
HEADING = "## The same from Python\n"
TABLE = ("data/randhie.csv", "data/randhie.schema.toml")
# Noise is new in each run, and neither posterior is narrower than it: means of two runs, or of one and without noise, differ by less than
# five of their posterior sds together but in 6e-7 of all runs. Eight are compared: a false alarm in 200,000 runs.
MOST_SDS = 5
# Draws without noise differ between machines by their last bits at the most, and by Monte Carlo error after that: 0.02 sds.
MOST_SDS_WITHOUT_NOISE = 0.15
TELL = """
import json, matplotlib.image
figure.savefig("figure.png")
told = {name: one.summary()[["mean", "sd"]].to_dict("index") for name, one in (("fit", fit), ("exact", exact))}
told["privacy"] = {key: fit.privacy[key] for key in ("private", "epsilon", "delta", "spent_epsilon")}
told["contrast"] = float(matplotlib.image.imread("figure.png")[..., :3].std())
print(json.dumps(told))
"""


def lines():
    """The page's cells of Python, without what tells the site how to show them."""
    cells = [block for language, block, _ in blocks(PAGE.split(HEADING)[1]) if language == "{code-cell}" and not block.startswith("%%bash")]
    assert len(cells) == 3, f"docs/ten-minutes.md has {len(cells)} cells of Python under {HEADING.strip()!r}"
    return "".join(re.sub(r"\A(?::.*\n)+", "", cell) for cell in cells)


def shown():
    """Mean and sd of each parameter, of one private run and without noise, as the page's table has them."""
    rows = re.findall(r"^\| `(\S+)` \| (\S+) \| (\S+) \| (\S+) \| (\S+) \|$", PAGE, re.MULTILINE)
    assert rows, "docs/ten-minutes.md has no table of the parameters"
    return {name: tuple(map(float, numbers)) for name, *numbers in rows}


def compare(told):
    expected = shown()
    assert set(told["fit"]) == set(told["exact"]) == set(expected), told
    for name, (mean, sd, mean_exact, sd_exact) in expected.items():
        ours, exact = told["fit"][name], told["exact"][name]
        assert abs(exact["mean"] - mean_exact) < MOST_SDS_WITHOUT_NOISE * sd_exact, (name, exact, mean_exact)
        assert abs(exact["sd"] / sd_exact - 1) < MOST_SDS_WITHOUT_NOISE, (name, exact, sd_exact)
        assert abs(ours["mean"] - mean) < MOST_SDS * hypot(ours["sd"], sd), (name, ours, mean)
        assert abs(ours["mean"] - exact["mean"]) < MOST_SDS * hypot(ours["sd"], exact["sd"]), (name, ours, exact)
        assert 0.8 < ours["sd"] / exact["sd"] < 1.6, (name, ours, exact)  # "a little wider": 0.96 to 1.21 in 18 runs
    privacy = told["privacy"]
    assert privacy["private"] and (privacy["epsilon"], privacy["delta"]) == (1, 1e-6) and 0 < privacy["spent_epsilon"] <= 1, privacy
    assert told["contrast"] > 0.01, "the figure is blank"


def main(python):
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as work:
        for name in TABLE:
            copy = Path(work, name)
            copy.parent.mkdir(exist_ok=True)
            copy.write_bytes((ROOT / name).read_bytes())
        environment = {"PATH": "/usr/bin:/bin", "HOME": work, "LC_ALL": "C.UTF-8", "MPLBACKEND": "agg"}
        done = subprocess.run([python, "-I", "-c", lines() + TELL], cwd=work, env=environment, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stderr
        assert Path(work, "figure.png").read_bytes().startswith(b"\x89PNG")
    told = json.loads(done.stdout.splitlines()[-1])
    compare(told)
    for name, ours in told["fit"].items():
        print(f"{name:<10} {ours['mean']:8.4f} {ours['sd']:7.4f}   without noise {told['exact'][name]['mean']:8.4f} {told['exact'][name]['sd']:7.4f}")
    print(f"the figure and the numbers of docs/ten-minutes.md: {time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main(*sys.argv[1:])
