"""Coverage of `Surv(time, event) ~ age + group` at simulated designs: the table of docs/release-once.md.

    python3 experiments/survival_coverage.py SOTTO [--sets N] [--epsilon E ...] [--design D ...]

Simulates tables, runs SOTTO (the program) on them at its defaults, and compares with the fit without privacy (Newton's method on the
same likelihood, flat prior). Per design and epsilon: coverage of 90 % intervals with one standard error over tables, that of the fit
without privacy, mean ratio of standard deviations, share of tables with a warning, and the largest distance of a posterior mean from
the truth without one, in posterior standard deviations. Needs numpy.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile
import time

import numpy as np

NO_ANSWER = 75  # the status of fits whose numbers are not to be taken for one

LONGEST = 10.0
LEVELS = "abc"
SHARES = [0.5, 0.35, 0.15]
USUAL = {"rows": 20000, "cuts": [1, 3, 6], "hazards": [0.05, 0.03, 0.06, 0.1], "effects": [0.05, 0.5, -0.8],
         "bounds": (18, 100), "adjacency": "substitute"}
DESIGNS = {
    "usual": {},
    "one piece": {"cuts": [], "hazards": [0.07]},
    "eight pieces": {"cuts": [0.5, 1, 2, 3, 4, 6, 8], "hazards": [0.2, 0.1, 0.05, 0.04, 0.05, 0.06, 0.08, 0.1]},
    "2 % events": {"hazards": [0.002, 0.002, 0.003, 0.004]},
    "most have the event": {"hazards": [0.6, 0.5, 0.4, 0.3]},
    "strong levels": {"effects": [0.05, 2.5, -2.0]},
    "bounds 20 times too wide": {"bounds": (0, 1000)},
    "few reach the last piece": {"cuts": [0.5, 2.5], "hazards": [2, 2, 2], "effects": [0.02, 0.5, -0.8]},
    "hazard rises": {"cuts": [2, 4, 6, 8], "hazards": [0.05, 0.2, 0.6, 1.2, 2.0]},
    "ratios 10 and 0.1": {"rows": 100000, "effects": [0.05, 2.3, -2.3]},
    "ratios 10 and 0.1, end far": {"cuts": [1, 3], "hazards": [0.3, 0.3, 0.3], "effects": [0.02, 2.3, -2.3]},
    "a level's all have the event": {"effects": [0.05, 0.5, 4.0]},
    "3,000 rows": {"rows": 3000},
    "add-remove": {"adjacency": "add-remove"},
}


def simulate(design, rng):
    n = design["rows"]
    age = rng.uniform(40, 90, n).round(1)
    group = rng.choice(3, n, p=SHARES)
    effects = design["effects"]
    log_ratio = effects[0] * (age - 65) + effects[1] * (group == 1) + effects[2] * (group == 2)
    ends = [0.0, *design["cuts"], LONGEST]
    cumulated = np.concatenate([[0], np.cumsum(np.array(design["hazards"]) * np.diff(ends))])
    reached = rng.exponential(1, n) / np.exp(log_ratio)
    event = np.where(reached < cumulated[-1], np.interp(reached, cumulated, ends), np.inf)
    censored = np.minimum(rng.uniform(0, 1.5 * LONGEST, n), LONGEST)
    return np.minimum(event, censored), event <= censored, age, group


def truth(design):
    hazards = np.array(design["hazards"])
    first = np.log(hazards[0]) - 65 * design["effects"][0]
    return np.concatenate([[first], np.log(hazards[1:] / hazards[0]), design["effects"]])


def without_privacy(design, lived, died, age, group):
    """Estimates and standard deviations."""
    ends = [0.0, *design["cuts"], LONGEST]
    pieces = len(ends) - 1
    blocks, events, log_time = [], [], []
    for k in range(pieces):
        here = lived > ends[k] if k > 0 else np.full(len(lived), True)
        levels = np.zeros((here.sum(), pieces - 1))
        if k > 0:
            levels[:, k - 1] = 1
        blocks.append(np.column_stack([np.ones(here.sum()), levels, age[here], group[here] == 1, group[here] == 2]))
        events.append((died & (lived <= ends[k + 1]))[here])
        log_time.append(np.log(np.maximum(np.minimum(lived, ends[k + 1]) - ends[k], 1e-12))[here])
    x, y, offset = np.vstack(blocks).astype(float), np.concatenate(events).astype(float), np.concatenate(log_time)
    at = np.zeros(x.shape[1])
    at[0] = np.log(y.sum() / np.exp(offset).sum())
    for _ in range(100):
        mean = np.exp(np.clip(x @ at + offset, -60, 30))
        information = x.T @ (x * mean[:, None]) + 1e-9 * np.eye(len(at))
        step = np.linalg.solve(information, x.T @ (y - mean))
        at = at + step * min(1, 2 / np.abs(step).max())
        if np.abs(step).max() < 1e-9:
            break
    return at, np.sqrt(np.diag(np.linalg.inv(information)))


SCHEMA = """adjacency = "{adjacency}"
[[column]]
name = "time"
kind = "real"
lower = 0
upper = 10
[[column]]
name = "died"
kind = "binary"
[[column]]
name = "age"
kind = "real"
lower = {lower}
upper = {upper}
[[column]]
name = "group"
kind = "category"
levels = ["a", "b", "c"]
"""


def private(program, design, folder, columns, epsilon, seed):
    lived, died, age, group = columns
    table = folder / "table.csv"
    lines = [f"{t!r},{int(d)},{a!r},{LEVELS[g]}" for t, d, a, g in zip(lived.tolist(), died, age.tolist(), group)]
    table.write_text("time,died,age,group\n" + "\n".join(lines) + "\n")
    lower, upper = design["bounds"]
    (folder / "schema.toml").write_text(SCHEMA.format(adjacency=design["adjacency"], lower=lower, upper=upper))
    command = [program, "fit", "--force", "--data", table, "--schema", folder / "schema.toml", "--family", "survival",
               "--formula", "Surv(time, died) ~ age + C(group)", "--epsilon", str(epsilon), "--delta", "1e-6",
               "--seed", str(seed), "--out", folder / f"out{seed}"]
    if design["cuts"]:
        command += ["--cuts", ",".join(map(str, design["cuts"]))]
    done = subprocess.run(command, capture_output=True)
    if done.returncode not in (0, NO_ANSWER):
        done.check_returncode()
    return json.loads((folder / f"out{seed}" / "summary.json").read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--sets", type=int, default=25)
    parser.add_argument("--epsilon", type=float, nargs="+", default=[1.0])
    parser.add_argument("--design", nargs="+", choices=DESIGNS, default=list(DESIGNS))
    arguments = parser.parse_args()
    print("| design | epsilon | coverage of 90 % intervals | non-private | sd ratio | warned | farthest unwarned | s |")
    print("|---|---|---|---|---|---|---|---|")
    for name in arguments.design:
        design = USUAL | DESIGNS[name]
        true = truth(design)
        for epsilon in arguments.epsilon:
            covered, open_covered, ratios, warned, farthest, seconds = [], [], [], 0, 0.0, 0.0
            for seed in range(arguments.sets):
                columns = simulate(design, np.random.default_rng(1000 + seed))
                estimate, open_sd = without_privacy(design, *columns)
                with tempfile.TemporaryDirectory() as folder:
                    begin = time.perf_counter()
                    summary = private(arguments.program, design, pathlib.Path(folder), columns, epsilon, seed)
                    seconds += time.perf_counter() - begin
                found = summary["parameters"]
                lower, upper, mean, sd = (np.array([p[key] for p in found]) for key in ("q05", "q95", "mean", "sd"))
                covered.append(np.mean((lower <= true) & (true <= upper)))
                open_covered.append(np.mean(np.abs(estimate - true) < 1.645 * open_sd))
                ratios.append(np.mean(sd / open_sd))
                if any(not sentence.startswith("Note: ") for sentence in summary["warnings"]):
                    warned += 1
                else:
                    farthest = max(farthest, np.abs((mean - true) / sd).max())
            sets = arguments.sets
            print(f"| {name} | {epsilon:g} | {np.mean(covered):.3f} ± {np.std(covered) / np.sqrt(sets):.3f} "
                  f"| {np.mean(open_covered):.3f} | {np.mean(ratios):.2f} | {warned / sets:.2f} | {farthest:.1f} "
                  f"| {seconds / sets:.1f} |", flush=True)


if __name__ == "__main__":
    main()
