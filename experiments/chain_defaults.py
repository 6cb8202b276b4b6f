"""How near the chains of `sotto fit` come to the posterior at their defaults: the tables of docs/methods.md.

    python3 experiments/chain_defaults.py SOTTO [--rows N ...] [--method M ...] [--model M ...] [--epsilon E ...]
                                                [--adjacency A ...] [--seed S] [--jobs J] [--threads T]

Simulates a table, runs SOTTO (the program) on it with no setting but method, budget and seed, and compares the draws with the
posterior without privacy: of the normal models and the banana it is known, of the others importance sampling around the mode
stands for it, or the normal approximation beyond 5,000 rows. A cell a run: mean over the parameters of |error of the mean| in
posterior standard deviations; geometric mean of the ratios of standard deviations; largest R-hat; draws made of those that were
asked for; seconds of the whole program; "w" where it warned of the draws, "no answer" where it called them none (exit status 75),
"refused" where it made none and spent nothing, "refused after its look" where it spent but the tenth of that. From epsilon 1e5 on, where noise should not count, "off" where it said nothing, and a mean is off by more than three Monte Carlo standard errors and a twentieth of a
posterior standard deviation, or a standard deviation by more than a twentieth and three of its own; "approx" where that is below a
fifth, and privacy.json says in what the method's target is approximate. `--lines` prints a line a run instead, with what the program
said. Needs numpy.
"""

import argparse
import json
import pathlib
import re
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

METHODS = ["auto", "penalty", "penalty-one-at-a-time", "guided-walk", "penalty-exponential-family", "penalty-subsampled", "barker",
           "barker-subsampled", "hmc", "hmc-friction", "sgld", "sgnht"]
HALF_WIDTH = 3.0  # of the covariates' declared range
RESPONSE_BOUND = 10.0  # normal responses lie within this of zero
LARGEST_COUNT = 30
PRIOR_SD = 2.5  # of the coefficients of columns scaled to [-1, 1]
IMPORTANCE_ROWS, IMPORTANCE_DRAWS = 5000, 20000
BEND = 20.0  # of the banana
# Sentences about the promise, not about the draws.
PROMISE = ("Epsilon ", "Delta ", "Note: ")

MODELS = {
    "logistic": {"family": "bernoulli", "truth": [-0.3, 0.5, -0.4, 0.3, 0.2]},
    "poisson": {"family": "poisson", "truth": [0.5, 0.3, -0.2, 0.2]},
    "normal": {"family": "normal", "truth": [1.0, 0.8, -0.5, 0.3]},
    "normal-mean": {"family": "normal-mean", "truth": list(np.linspace(-0.5, 0.5, 10))},
    "banana": {"family": "banana", "truth": [0.1, 3.0]},
}


def is_location(model):
    return model in ("normal-mean", "banana")


def row_covariance(model):
    """Of a row of the location models: correlations of 0.5 to 0.9 between neighbours; the banana's are independent."""
    if model == "banana":
        return np.diag([1.0, 1.0])
    d = len(MODELS[model]["truth"])
    return 0.7 ** np.abs(np.subtract.outer(np.arange(d), np.arange(d)))


def bent(model, theta):
    mean = np.array(theta, dtype=float)
    if model == "banana":
        mean[..., 1] += BEND * mean[..., 0] ** 2
    return mean


def half_widths(model):
    """Bounds of a location model's columns: four standard deviations of a row on either side of the mean, rounded up."""
    return 4 * np.sqrt(np.diag(row_covariance(model))) + np.ceil(np.abs(bent(model, MODELS[model]["truth"])))


def simulate(model, rows, rng):
    truth = np.array(MODELS[model]["truth"])
    if is_location(model):
        half = half_widths(model)
        values = rng.multivariate_normal(bent(model, truth), row_covariance(model), size=rows)
        return None, np.clip(values, -half, half), None
    x = np.clip(rng.normal(size=(rows, len(truth) - 1)), -HALF_WIDTH, HALF_WIDTH)
    eta = truth[0] + x @ truth[1:]
    exposure = None
    if model == "logistic":
        y = (rng.uniform(size=rows) < 1 / (1 + np.exp(-eta))).astype(float)
    elif model == "poisson":
        exposure = rng.uniform(0.5, 2, size=rows)
        y = np.minimum(rng.poisson(exposure * np.exp(eta)), LARGEST_COUNT).astype(float)
    else:
        y = np.clip(eta + rng.normal(size=rows), -RESPONSE_BOUND, RESPONSE_BOUND)
    return x, y, exposure


class Regression:
    """Log posterior of a regression's coordinates, with slope and curvature."""

    def __init__(self, model, x, y, exposure):
        self.model, self.y = model, y
        self.z = np.column_stack([np.ones(len(y)), x / HALF_WIDTH])
        self.d = self.z.shape[1]
        self.size = self.d + (model == "normal")
        self.offset = 0.0 if exposure is None else np.log(exposure)
        self.prior_mean, self.prior_precision = np.zeros(self.size), np.full(self.size, PRIOR_SD**-2)
        if model == "normal":
            self.prior_mean[self.d] = np.log(2 * RESPONSE_BOUND / 4)
            self.prior_precision[self.d] = 1.5**-2

    def log_density(self, at):
        eta = self.z @ at[: self.d] + self.offset
        if self.model == "logistic":
            rows = self.y * eta - np.logaddexp(0, eta)
        elif self.model == "poisson":
            rows = self.y * eta - np.exp(eta)
        else:
            rows = -at[self.d] - 0.5 * ((self.y - eta) * np.exp(-at[self.d])) ** 2
        return rows.sum() - 0.5 * np.sum(self.prior_precision * (at - self.prior_mean) ** 2)

    def newton(self, at):
        eta = self.z @ at[: self.d] + self.offset
        slope, curvature = np.zeros(self.size), np.diag(self.prior_precision)
        if self.model == "logistic":
            mean = 1 / (1 + np.exp(-eta))
            score, weight = self.y - mean, mean * (1 - mean)
        elif self.model == "poisson":
            score, weight = self.y - np.exp(eta), np.exp(eta)
        else:
            precision = np.exp(-2 * at[self.d])
            score, weight = (self.y - eta) * precision, np.full(len(self.y), precision)
            squares = np.sum((self.y - eta) ** 2) * precision
            slope[self.d] = squares - len(self.y)
            curvature[self.d, self.d] += 2 * max(squares, len(self.y) / 2)
        slope[: self.d] = self.z.T @ score
        curvature[: self.d, : self.d] += self.z.T @ (self.z * weight[:, None])
        return slope - self.prior_precision * (at - self.prior_mean), curvature

    def start(self):
        at = self.prior_mean.copy()
        if self.model == "poisson":
            at[0] = np.log(self.y.mean())
        return at

    def reported(self, draws):
        scale = np.ones(self.size)
        scale[1 : self.d] = HALF_WIDTH
        draws = draws / scale
        if self.model == "normal":
            draws[:, self.d] = np.exp(draws[:, self.d])
        return draws


def posterior(model, x, y, exposure):
    """Mean and standard deviation of the reported parameters without privacy."""
    rng = np.random.default_rng(5)
    if is_location(model):
        precision = np.linalg.inv(row_covariance(model))
        prior_precision = np.diag(half_widths(model) ** -2.0)
        covariance = np.linalg.inv(len(y) * precision + prior_precision)
        mean = covariance @ (precision @ y.sum(axis=0))
        draws = rng.multivariate_normal(mean, covariance, size=400000)
        if model == "banana":
            draws[:, 1] -= BEND * draws[:, 0] ** 2
        return draws.mean(axis=0), draws.std(axis=0)
    regression = Regression(model, x, y, exposure)
    at = regression.start()
    for _ in range(100):
        slope, curvature = regression.newton(at)
        move = np.linalg.solve(curvature, slope)
        at += move / max(1.0, np.abs(move).max())
        if np.abs(move).max() < 1e-10:
            break
    draws = rng.multivariate_normal(at, np.linalg.inv(curvature), size=IMPORTANCE_DRAWS)
    weights = np.ones(len(draws))
    if len(y) <= IMPORTANCE_ROWS:
        whitened = np.linalg.cholesky(curvature).T @ (draws - at).T
        log_weights = np.array([regression.log_density(one) for one in draws]) + 0.5 * np.sum(whitened**2, axis=0)
        weights = np.exp(log_weights - log_weights.max())
    else:  # of the normal approximation nothing need be drawn
        draws = np.concatenate([draws, 2 * at - draws])
        weights = np.ones(len(draws))
    weights /= weights.sum()
    draws = regression.reported(draws)
    mean = weights @ draws
    return mean, np.sqrt(weights @ (draws - mean) ** 2)


def write_table(folder, model, x, y, adjacency, exposure=None):
    """Returns what the command line says of the model."""
    text = f'adjacency = "{adjacency}"\n'

    def declare(name, bounds):
        nonlocal text
        text += f'[[column]]\nname = "{name}"\n{bounds}\n'

    if is_location(model):
        names = [f"v{j + 1}" for j in range(y.shape[1])]
        for name, half in zip(names, half_widths(model)):
            declare(name, f'kind = "real"\nlower = {-half}\nupper = {half}')
        columns = y
        arguments = ["--family", model, "--set", "model.columns=" + json.dumps(names), "--set",
                     "model.covariance=" + json.dumps(row_covariance(model).tolist())]
        if model == "banana":
            arguments += ["--set", f"model.a={BEND}"]
    else:
        names = [f"x{j + 1}" for j in range(x.shape[1])]
        declare("y", {"logistic": 'kind = "binary"', "poisson": f'kind = "count"\nlower = 0\nupper = {LARGEST_COUNT}',
                      "normal": f'kind = "real"\nlower = {-RESPONSE_BOUND}\nupper = {RESPONSE_BOUND}'}[model])
        for name in names:
            declare(name, f'kind = "real"\nlower = {-HALF_WIDTH}\nupper = {HALF_WIDTH}')
        columns = np.column_stack([y, x])
        formula = "y ~ " + " + ".join(names)
        names = ["y", *names]
        if exposure is not None:
            declare("exposure", 'kind = "real"\nlower = 0.5\nupper = 2')
            columns, names, formula = np.column_stack([columns, exposure]), [*names, "exposure"], formula + " + offset(log(exposure))"
        arguments = ["--family", MODELS[model]["family"], "--formula", formula]
    np.savetxt(folder / "data.csv", columns, delimiter=",", header=",".join(names), comments="", fmt="%.10g")
    (folder / "schema.toml").write_text(text)
    return arguments


class Tables:
    """Each table, and its posterior, is made once."""

    def __init__(self, folder, seed):
        self.folder, self.seed, self.made = folder, seed, {}

    def get(self, rows, model, adjacency):
        key = (rows, model)
        if key not in self.made:
            data = simulate(model, rows, np.random.default_rng(self.seed))
            self.made[key] = (data, posterior(model, *data))
        data, truth = self.made[key]
        folder = self.folder / f"{model}-{rows}-{adjacency}"
        if folder.exists():
            return folder, self.made[(rows, model, adjacency)], truth
        folder.mkdir()
        x, y, exposure = data
        self.made[(rows, model, adjacency)] = write_table(folder, model, x, y, adjacency, exposure)
        return folder, self.made[(rows, model, adjacency)], truth


def run(job, tables, args):
    rows, method, model, epsilon, adjacency = job
    folder, arguments, (mean, sd) = tables.get(rows, model, adjacency)
    out = folder / f"{method}-{epsilon:g}"
    command = [args.program, "fit", "--data", "data.csv", "--schema", "schema.toml", *arguments, "--epsilon", str(epsilon),
               "--delta", "1e-6", "--method", method, "--seed", str(args.seed), "--threads", str(args.threads), "--out", out.name]
    begin = time.monotonic()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=3600)
    seconds = time.monotonic() - begin
    cell = {"job": job, "seconds": seconds, "said": "", "verdict": "refused"}
    statement = "" if (out / "privacy.json").exists() else "; no privacy.json"
    if not (out / "summary.json").exists():
        sentence = (done.stderr.strip().splitlines() or [""])[-1]
        free = "nothing was spent" in sentence or done.returncode in (64, 78)
        looked = "only that look was paid for" in sentence
        verdict = "refused" if free else "refused after its look" if looked else f"exit {done.returncode}"
        return cell | {"verdict": verdict, "said": f"exit {done.returncode}: {sentence}{statement}"}
    summary = json.loads((out / "summary.json").read_text())
    manifest = json.loads((out / "manifest.json").read_text())
    asked = manifest["configuration"]["method"]["draws"]
    draws = min(chain["draws"] for chain in manifest["chains"])
    lines = summary["parameters"]

    def column(key):
        return np.array([np.nan if line[key] is None else line[key] for line in lines])

    with np.errstate(all="ignore"):
        off = np.abs(column("mean") - mean)
        relative = column("sd") / sd
        beyond = (off > 3 * column("mcse_mean")) & (off > 0.05 * sd)
        beyond |= (np.abs(column("sd") - sd) > 3 * column("mcse_sd")) & (np.abs(relative - 1) > 0.05)
        wrong = not np.all(np.isfinite(off)) or (epsilon >= 1e5 and np.any(beyond))
        figures = (np.mean(off / sd), np.exp(np.mean(np.log(relative))), np.max(column("rhat")), np.max(off / column("mcse_mean")),
                   np.min(column("ess_bulk")), manifest["configuration"].get("look", {}).get("effective_draws", np.nan))
    said = [w for w in summary["warnings"] if not w.startswith(PROMISE)]
    approximations = json.loads((out / "privacy.json").read_text()).get("approximations")
    near = np.all(off < 0.2 * sd) and np.all(np.abs(relative - 1) < 0.2)
    verdict = "no answer" if done.returncode != 0 else "warned" if said else "right" if not wrong else "approx" if approximations and near else "off"
    status = "" if done.returncode == 0 else f"exit {done.returncode} "
    return cell | {"figures": figures, "made": f"{draws}/{asked}", "verdict": verdict, "beyond": bool(wrong),
                   "said": f"{status}{' / '.join(said)}{statement}"}


def cell_of(cell):
    if "figures" not in cell:
        return cell["verdict"]
    error, ratio, rhat = cell["figures"][:3]
    mark = {"right": "", "warned": " w"}.get(cell["verdict"], " " + cell["verdict"])
    return f"{error:.2f}, {ratio:.2f}, {rhat:.2f}, {cell['made']}, {cell['seconds']:.0f} s{mark}"


def line_of(cell):
    rows, method, model, epsilon, adjacency = cell["job"]
    figures = [f"{f:.2f}" for f in cell["figures"]] if "figures" in cell else [""] * 6
    return [str(rows), method, model, f"{epsilon:g}", adjacency, *figures, cell.get("made", ""), f"{cell['seconds']:.1f}",
            cell["verdict"] + (", off" if cell.get("beyond") else ""), re.sub(r"\s+", " ", cell["said"])]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--rows", type=int, nargs="+", default=[2000, 100000])
    parser.add_argument("--method", nargs="+", default=METHODS)
    parser.add_argument("--model", nargs="+", default=list(MODELS), choices=list(MODELS))
    parser.add_argument("--epsilon", nargs="+", type=float, default=[1, 3, 10, 1e5])
    parser.add_argument("--adjacency", nargs="+", default=["substitute", "add-remove"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--lines", action="store_true", help="a line a run, with what the program said")
    args = parser.parse_args()
    args.program = str(pathlib.Path(args.program).resolve())
    columns = [(epsilon, adjacency) for epsilon in args.epsilon for adjacency in args.adjacency]
    jobs = [(rows, method, model, *column) for rows in args.rows for method in args.method for model in args.model
            for column in columns]
    if args.lines:
        print("| rows | method | model | epsilon | adjacency | error | sd ratio | R-hat | standard errors | effective draws | foretold | draws | seconds | verdict "
              "| said |")
        print("|" + "---|" * 15)
    done = []
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(args.jobs) as pool:
        tables = Tables(pathlib.Path(name), args.seed)
        for job in jobs:
            tables.get(job[0], job[2], job[4])
        for cell in pool.map(lambda job: run(job, tables, args), jobs):
            rows, method, model = cell["job"][:3]
            if args.lines:
                print("| " + " | ".join(line_of(cell)) + " |", flush=True)
                continue
            if not done and (method, model) == (args.method[0], args.model[0]):
                print(f"\n{rows} rows\n\n| method | model | " + " | ".join(f"{e:g}, {a}" for e, a in columns) + " |")
                print("|---|---|" + "---|" * len(columns))
            done.append(cell_of(cell))
            if len(done) == len(columns):
                print(f"| {method} | {model} | " + " | ".join(done) + " |", flush=True)
                done = []


if __name__ == "__main__":
    main()
