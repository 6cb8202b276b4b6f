"""Coverage of means of columns with known covariance at simulated designs: the table of docs/methods.md.

    python3 experiments/normal_mean_coverage.py SOTTO [--sets N] [--epsilon E ...] [--design D ...]

Simulates tables, runs SOTTO (the program) on them at its defaults, and compares with the posterior without privacy (sample means, declared
covariance). Per design and epsilon: coverage of the population's means by 90 % intervals with one standard error over tables, that of the
posterior without privacy, median ratio of standard deviations, what the program says of it, share of tables with a warning, coverage where there was none, and the
largest distance of a posterior mean from the truth without one, in posterior standard deviations. Needs numpy.
"""

import argparse
import json
import pathlib
import re
import subprocess
import tempfile

import numpy as np

NO_ANSWER = 75  # the status of fits whose numbers are not to be taken for one

# Rows' values are sd times a standard draw about `place`, of which a column's half width is `half`: in columns' standard deviations.
USUAL = {"rows": 5000, "dim": 1, "half": 10, "place": 0.3, "sd": 7.0, "declared": 1.0, "adjacency": "substitute", "law": "normal"}
DESIGNS = {
    "50 rows": {"rows": 50},
    "50 rows, 3 sd": {"rows": 50, "half": 3, "place": 0.1},
    "50 rows, 100 sd": {"rows": 50, "half": 100},
    "500 rows": {"rows": 500},
    "500 rows, 3 sd": {"rows": 500, "half": 3, "place": 0.1},
    "500 rows, 100 sd": {"rows": 500, "half": 100},
    "500 rows, 3 columns": {"rows": 500, "dim": 3},
    "500 rows, 100 sd, 10 columns": {"rows": 500, "dim": 10, "half": 100},
    "500 rows, add-remove": {"rows": 500, "adjacency": "add-remove"},
    "50 rows, add-remove": {"rows": 50, "adjacency": "add-remove"},
    "5,000 rows": {},
    "5,000 rows, 100 sd": {"half": 100},
    "5,000 rows, 100 sd, off centre": {"half": 100, "place": 0.9},
    "5,000 rows, 10 columns": {"dim": 10, "half": 100},
    "5,000 rows, 3 columns, add-remove": {"dim": 3, "half": 100, "adjacency": "add-remove"},
    "income": {"sd": 30000.0, "half": 10, "place": -0.7},
    "100,000 rows": {"rows": 100000, "half": 100, "dim": 3},
    "100,000 rows, add-remove": {"rows": 100000, "half": 100, "dim": 3, "adjacency": "add-remove"},
    "declared twice": {"declared": 2.0, "half": 100},
    "declared half": {"declared": 0.5, "half": 100},
    "500 rows, declared half": {"rows": 500, "declared": 0.5, "half": 100},
    "100,000 rows, declared half": {"rows": 100000, "declared": 0.5, "half": 100},
    "declared half, 3 columns": {"declared": 0.5, "half": 100, "dim": 3},
    "t_3": {"law": "t", "half": 100},
    "100,000 rows, t_3": {"rows": 100000, "law": "t", "half": 100},
    "log-normal": {"law": "log-normal", "half": 100},
    "500 rows, log-normal": {"rows": 500, "law": "log-normal", "half": 100},
    "100,000 rows, log-normal": {"rows": 100000, "law": "log-normal", "half": 100},
    "10 % far out": {"law": "far", "half": 100},
    "500 rows, 10 % far out": {"rows": 500, "law": "far", "half": 100},
    "2,000 rows, 10 % far out": {"rows": 2000, "law": "far", "half": 100},
    "100,000 rows, 10 % far out": {"rows": 100000, "law": "far", "half": 100},
    "10 % far out, narrow bounds": {"law": "far", "half": 10, "place": 0},
    "100,000 rows, 1 % far out, 10 columns": {"rows": 100000, "law": "few far", "half": 100, "dim": 10},
}


def standard(law, n, dim, rng):
    """Draws of mean 0 and, but for what lies far out, variance 1; and the mean of the population."""
    if law == "t":
        return rng.standard_t(3, (n, dim)) / np.sqrt(3), 0.0
    if law == "log-normal":
        s = 0.8
        return (np.exp(s * rng.normal(size=(n, dim))) - np.exp(s * s / 2)) / np.sqrt((np.exp(s * s) - 1) * np.exp(s * s)), 0.0
    z = rng.normal(size=(n, dim))
    if law == "normal":
        return z, 0.0
    share = 0.1 if law == "far" else 0.01
    far = rng.uniform(size=n) < share
    z[far, 0] += 6
    return z, np.r_[6 * share, np.zeros(dim - 1)]


def schema(design):
    text = f'adjacency = "{design["adjacency"]}"\n'
    reach = design["half"] * design["sd"]
    for j in range(design["dim"]):
        text += f'[[column]]\nname = "x{j}"\nkind = "real"\nlower = {1000 - reach!r}\nupper = {1000 + reach!r}\n'
    return text


def run(program, design, values, epsilon, seed):
    dim = design["dim"]
    names = [f"x{j}" for j in range(dim)]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        np.savetxt(folder / "table.csv", values, delimiter=",", header=",".join(names), comments="", fmt="%.6g")
        (folder / "schema.toml").write_text(schema(design))
        command = [program, "fit", "--force", "--data", folder / "table.csv", "--schema", folder / "schema.toml", "--family", "normal-mean",
                   "--epsilon", str(epsilon), "--delta", "1e-6", "--seed", str(seed), "--out", folder / "out",
                   "--set", f"model.columns={json.dumps(names)}",
                   "--set", f"model.sd={[design['sd'] * design['declared']] * dim}"]
        said = subprocess.run(command, capture_output=True, text=True)
        if said.returncode not in (0, NO_ANSWER):
            said.check_returncode()
        summary = json.loads((folder / "out" / "summary.json").read_text())
    width = re.search(r"about ([0-9.]+) times as wide", said.stdout)
    return summary, float(width.group(1)) if width else float("nan")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--sets", type=int, default=20)
    parser.add_argument("--epsilon", type=float, nargs="+", default=[1.0])
    parser.add_argument("--design", nargs="+", choices=DESIGNS, default=list(DESIGNS))
    parser.add_argument("--say", action="store_true", help="print each warning's beginning and how often it was given")
    arguments = parser.parse_args()
    print("| design | epsilon | coverage of 90 % intervals | without privacy | sd ratio | said | warned | coverage unwarned | farthest unwarned |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in arguments.design:
        design = USUAL | DESIGNS[name]
        for epsilon in arguments.epsilon:
            covered, quiet, open_covered, ratios, said, warned, farthest, words = [], [], [], [], [], 0, 0.0, {}
            for seed in range(arguments.sets):
                z, mean = standard(design["law"], design["rows"], design["dim"], np.random.default_rng(1000 + seed))
                centre = 1000 + design["place"] * design["half"] * design["sd"]
                reach = design["half"] * design["sd"]
                values = np.clip(centre + design["sd"] * z, 1000 - reach, 1000 + reach)
                truth = centre + design["sd"] * mean * np.ones(design["dim"])
                open_sd = design["sd"] * design["declared"] / np.sqrt(design["rows"])
                open_covered.append(np.mean(np.abs(values.mean(0) - truth) < 1.645 * open_sd))
                summary, width = run(arguments.program, design, values, epsilon, seed)
                found = summary["parameters"]
                lower, upper, at, sd = (np.array([p[key] for p in found]) for key in ("q05", "q95", "mean", "sd"))
                held = np.mean((lower <= truth) & (truth <= upper))
                covered.append(held)
                ratios.append(np.median(sd / open_sd))
                said.append(width)
                loud = [sentence for sentence in summary["warnings"] if not sentence.startswith("Note: ")]
                for sentence in summary["warnings"]:
                    words[sentence[:60]] = words.get(sentence[:60], 0) + 1
                if loud:
                    warned += 1
                else:
                    quiet.append(held)
                    farthest = max(farthest, np.abs((at - truth) / sd).max())
            sets = arguments.sets
            unwarned = f"{np.mean(quiet):.2f} | {farthest:.1f}" if quiet else "- | -"
            print(f"| {name} | {epsilon:g} | {np.mean(covered):.2f} ± {np.std(covered) / np.sqrt(sets):.2f} | {np.mean(open_covered):.2f} "
                  f"| {np.median(ratios):.2f} | {np.median(said):.1f} | {warned / sets:.2f} | {unwarned} |", flush=True)
            if arguments.say:
                for sentence, times in words.items():
                    print(f"    {times} x {sentence}")


if __name__ == "__main__":
    main()
