"""How near the chains of `sotto fit` come to the posterior at their defaults: the table of docs/methods.md.

    python3 experiments/chain_defaults.py SOTTO [--rows N] [--method M ...] [--model M ...] [--epsilon E ...]
                                                [--adjacency A ...] [--seed S] [--jobs J]

Simulates a table, runs SOTTO (the program) on it with no setting but method, budget and seed, and compares the draws with the
normal approximation at the mode of the posterior without privacy. A cell a run: mean over the parameters of |error of the mean|
in posterior standard deviations; geometric mean of the ratios of standard deviations; largest R-hat; "w" where the program
warned of the draws, "refused" where it made none, "WRONG" where it said nothing of draws that are off. `--lines` prints a line a
run instead, with what the program said. Needs numpy.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np

METHODS = ["sgld", "sgnht", "barker", "barker-subsampled", "hmc", "penalty", "penalty-one-at-a-time", "guided-walk"]
HALF_WIDTH = 3.0  # of the covariates' declared range
RESPONSE_BOUND = 10.0  # normal responses lie within this of zero
LARGEST_COUNT = 30
PRIOR_SD = 2.5  # of the coefficients of columns scaled to [-1, 1]
# Beyond these, unless the program warned, a cell is wrong.
MOST_ERROR = 0.5
MOST_RATIO = 1.35
# Sentences about the promise, not about the draws.
PROMISE = ("Epsilon ", "Delta ", "Note: ")

MODELS = {
    "logistic": {"family": "bernoulli", "truth": [-0.3, 0.5, -0.4, 0.3, 0.2]},
    "poisson": {"family": "poisson", "truth": [0.5, 0.3, -0.2, 0.2]},
    "normal": {"family": "normal", "truth": [1.0, 0.8, -0.5, 0.3]},
}


def simulate(model, rows, rng):
    truth = np.array(MODELS[model]["truth"])
    x = np.clip(rng.normal(size=(rows, len(truth) - 1)), -HALF_WIDTH, HALF_WIDTH)
    eta = truth[0] + x @ truth[1:]
    if model == "logistic":
        y = (rng.uniform(size=rows) < 1 / (1 + np.exp(-eta))).astype(float)
    elif model == "poisson":
        y = np.minimum(rng.poisson(np.exp(eta)), LARGEST_COUNT).astype(float)
    else:
        y = np.clip(eta + rng.normal(size=rows), -RESPONSE_BOUND, RESPONSE_BOUND)
    return x, y


def posterior(model, x, y):
    """Mean and standard deviation of the reported parameters."""
    z = np.column_stack([np.ones(len(y)), x / HALF_WIDTH])
    d = z.shape[1]
    at = np.zeros(d + (model == "normal"))
    prior_mean, prior_precision = np.zeros(len(at)), np.full(len(at), PRIOR_SD**-2)
    if model == "normal":
        prior_mean[d] = at[d] = np.log(2 * RESPONSE_BOUND / 4)
        prior_precision[d] = 1.5**-2
    if model == "poisson":
        at[0] = np.log(y.mean())
    for _ in range(100):
        eta = z @ at[:d]
        if model == "logistic":
            mean = 1 / (1 + np.exp(-eta))
            score, weight = y - mean, mean * (1 - mean)
        elif model == "poisson":
            score, weight = y - np.exp(eta), np.exp(eta)
        else:
            precision = np.exp(-2 * at[d])
            score, weight = (y - eta) * precision, np.full(len(y), precision)
        slope = np.zeros(len(at))
        curvature = np.diag(prior_precision)
        slope[:d] = z.T @ score
        curvature[:d, :d] += z.T @ (z * weight[:, None])
        if model == "normal":
            squares = np.sum((y - eta) ** 2) * precision
            slope[d] = squares - len(y)
            curvature[d, d] += 2 * max(squares, len(y) / 2)
        slope -= prior_precision * (at - prior_mean)
        move = np.linalg.solve(curvature, slope)
        at += move / max(1.0, np.abs(move).max())
        if np.abs(move).max() < 1e-10:
            break
    sd = np.sqrt(np.diag(np.linalg.inv(curvature)))
    scale = np.ones(len(at))
    scale[1:d] = HALF_WIDTH
    if model == "normal":
        sd[d] *= np.exp(at[d])
        at[d] = np.exp(at[d])
    return at / scale, sd / scale


def write_table(folder, model, x, y, adjacency):
    names = [f"x{j + 1}" for j in range(x.shape[1])]
    np.savetxt(folder / "data.csv", np.column_stack([y, x]), delimiter=",", header=",".join(["y", *names]), comments="",
               fmt="%.10g")
    bounds = {"logistic": 'kind = "binary"', "poisson": f'kind = "count"\nlower = 0\nupper = {LARGEST_COUNT}',
              "normal": f'kind = "real"\nlower = {-RESPONSE_BOUND}\nupper = {RESPONSE_BOUND}'}[model]
    text = f'adjacency = "{adjacency}"\n[[column]]\nname = "y"\n{bounds}\n'
    for name in names:
        text += f'[[column]]\nname = "{name}"\nkind = "real"\nlower = {-HALF_WIDTH}\nupper = {HALF_WIDTH}\n'
    (folder / "schema.toml").write_text(text)
    return "y ~ " + " + ".join(names)


def run(job, args):
    model, method, epsilon, adjacency = job
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        x, y = simulate(model, args.rows, np.random.default_rng(args.seed))
        mean, sd = posterior(model, x, y)
        formula = write_table(folder, model, x, y, adjacency)
        command = [args.program, "fit", "--data", "data.csv", "--schema", "schema.toml", "--formula", formula, "--family",
                   MODELS[model]["family"], "--epsilon", str(epsilon), "--delta", "1e-6", "--method", method, "--seed",
                   str(args.seed), "--threads", "1", "--out", "out"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=3600)
        cells = [model, method, f"{epsilon:g}", adjacency]
        statement = "" if (folder / "out/privacy.json").exists() else "; no privacy.json"
        if not (folder / "out/summary.json").exists():
            sentence = (done.stderr.strip().splitlines() or [""])[-1]
            return cells + ["", "", "", "refused", f"exit {done.returncode}: {sentence}{statement}"]
        summary = json.loads((folder / "out/summary.json").read_text())
        draws = json.loads((folder / "out/manifest.json").read_text())["chains"][0]["draws"]
        lines = summary["parameters"]

        def column(key):
            return np.array([np.nan if line[key] is None else line[key] for line in lines])

        with np.errstate(all="ignore"):
            error = np.mean(np.abs(column("mean") - mean) / sd)
            ratio = np.exp(np.mean(np.log(column("sd") / sd)))
        rhat = np.max(column("rhat"))
        said = [w for w in summary["warnings"] if not w.startswith(PROMISE)]
        wrong = not (error < MOST_ERROR and 1 / MOST_RATIO < ratio < MOST_RATIO)
        verdict = "warned" if said or done.returncode != 0 else "WRONG" if wrong else "right"
        if verdict == "warned" and not wrong:
            verdict = "warned, near"
        why = "" if done.returncode == 0 else f"exit {done.returncode} "
        return cells + [f"{error:.2f}", f"{ratio:.2f}", f"{rhat:.2f}", verdict,
                        f"{draws} draws {why}{' / '.join(said)}{statement}"]


def cell_of(cells):
    verdict = {"right": "", "warned": " w", "warned, near": " w", "WRONG": " WRONG"}
    return "refused" if cells[7] == "refused" else ", ".join(cells[4:7]) + verdict[cells[7]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--method", nargs="+", default=METHODS)
    parser.add_argument("--model", nargs="+", default=list(MODELS), choices=list(MODELS))
    parser.add_argument("--epsilon", nargs="+", type=float, default=[1, 10, 1e5])
    parser.add_argument("--adjacency", nargs="+", default=["substitute", "add-remove"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--lines", action="store_true", help="a line a run, with what the program said")
    args = parser.parse_args()
    args.program = str(pathlib.Path(args.program).resolve())
    jobs = [(model, method, epsilon, adjacency) for method in args.method for model in args.model
            for epsilon in args.epsilon for adjacency in args.adjacency]
    columns = [(epsilon, adjacency) for epsilon in args.epsilon for adjacency in args.adjacency]
    if args.lines:
        print("| model | method | epsilon | adjacency | error | sd ratio | R-hat | verdict | said |")
        print("|---|---|---|---|---|---|---|---|---|")
    else:
        print("| method | model | " + " | ".join(f"{e:g}, {a}" for e, a in columns) + " |")
        print("|---|---|" + "---|" * len(columns))
    done = []
    with ThreadPoolExecutor(args.jobs) as pool:
        for cells in pool.map(lambda job: run(job, args), jobs):
            if args.lines:
                print("| " + " | ".join(cells) + " |", flush=True)
                continue
            done.append(cell_of(cells))
            if len(done) == len(columns):
                print(f"| {cells[1]} | {cells[0]} | " + " | ".join(done) + " |", flush=True)
                done = []


if __name__ == "__main__":
    main()
