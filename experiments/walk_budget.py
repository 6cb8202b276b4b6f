"""How many effective draws a budget is worth to a chain, against theory: the tables of docs/walks.md.

    python3 experiments/walk_budget.py SOTTO [SOTTO ...] [--rows N ...] [--epsilon E ...] [--method M ...]
    python3 experiments/walk_budget.py --theory

The first simulates logistic regressions with four covariates under `substitute` and runs each SOTTO (programs, an earlier one for
instance) at its defaults on them. Effective draws are counted by how far a kept draw lies from the one before, in standard
deviations of the posterior without privacy: 1 - r = mean (x_t+1 - x_t)^2 / 2 sd^2, and n draws are worth n (1 - r) / (1 + r).
Unlike estimates from autocorrelations that holds too where a whole run is worth less than one draw. Beside it stands what docs/walks.md
foretells of a penalty walk at its best. The second simulates penalty walks on a normal target with noise of several sizes, and
prints what they are worth beside the formula. Needs numpy.
"""

import argparse
import csv
import math
import pathlib
import subprocess
import tempfile
import time

import numpy as np

import chain_defaults

NO_ANSWER = 75  # the status of fits whose numbers are not to be taken for one

METHODS = ["penalty", "penalty-one-at-a-time", "guided-walk", "barker", "hmc"]
BEST_NOISE, BEST = 2.38, 0.331


def normal_tail(x):
    return 0.5 * math.erfc(x / math.sqrt(2))


def rho_of(epsilon, delta):
    """The largest rho whose Gaussian curve passes (epsilon, delta)."""

    def delta_of(rho):
        mu = math.sqrt(2 * rho)
        # exp(epsilon) times a tail that underflows: in logarithms.
        tail = normal_tail(epsilon / mu + mu / 2)
        return normal_tail(epsilon / mu - mu / 2) - (math.exp(epsilon + math.log(tail)) if tail > 0 else 0)

    low, high = 1e-12, 2 * epsilon
    for _ in range(200):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if delta_of(middle) < delta else (low, middle)
    return low


def noise_per_step(regression, at, rho):
    """k: the noise of a step of length l has variance k l^2 steps. Corners of the covariates' box and both responses bound a row."""
    _, curvature = regression.newton(at)
    factor = np.linalg.cholesky(np.linalg.inv(curvature))
    corners = np.array(np.meshgrid([1], *[[-1, 1]] * (len(at) - 1))).reshape(len(at), -1).T
    eta = corners @ at
    moves = 0.1 * np.random.default_rng(1).normal(size=(200, len(at))) @ factor.T
    width = []
    for move in moves:
        after = corners @ (at + move)
        change = np.concatenate([np.logaddexp(0, eta) - np.logaddexp(0, after),
                                 np.logaddexp(0, -eta) - np.logaddexp(0, -after)])
        width.append(max(change.max(), 0) - min(change.min(), 0))
    return np.mean(np.square(width)) / (2 * rho * 0.01 * len(at))


def worth(draws, sd):
    """Effective draws of chains, by how far successive draws lie apart; the median parameter's."""
    jumps = np.mean([np.mean(np.diff(chain, axis=0) ** 2, axis=0) for chain in draws], axis=0)
    gap = np.minimum(jumps / (2 * sd**2), 1)
    return np.median(sum(len(chain) for chain in draws) * gap / (2 - gap))


def read_chain(file):
    with open(file) as lines:
        rows = list(csv.reader(line for line in lines if not line.startswith("#")))
    names = rows[0]
    values = np.array(rows[1:], dtype=float)
    first = next(j for j, name in enumerate(names) if not name.endswith("__"))
    return values[:, first:], values[:, names.index("accept_stat__")]


def against_programs(args):
    print("| rows | epsilon | method | " + " | ".join(f"{pathlib.Path(p).name}: effective draws, acceptance, seconds" for p in args.program)
          + " | a penalty walk at its best |")
    print("|---|---|---|" + "---|" * (len(args.program) + 1))
    for rows in args.rows:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            x, y, _ = chain_defaults.simulate("logistic", rows, np.random.default_rng(1))
            arguments = chain_defaults.write_table(folder, "logistic", x, y, "substitute")
            mean, sd = chain_defaults.posterior("logistic", x, y, None)
            regression = chain_defaults.Regression("logistic", x, y, None)
            at = mean * np.array([1] + [chain_defaults.HALF_WIDTH] * (len(mean) - 1))
            for epsilon in args.epsilon:
                best = BEST / (len(at) * noise_per_step(regression, at, rho_of(epsilon, 1e-6)))
                for method in args.method:
                    cells = []
                    for program in args.program:
                        out = folder / "out"
                        begin = time.monotonic()
                        done = subprocess.run([str(pathlib.Path(program).resolve()), "fit", *without_rehearsal(program), "--data", "data.csv", "--schema", "schema.toml", *arguments,
                                               "--epsilon", str(epsilon), "--delta", "1e-6", "--method", method, "--threads", "1",
                                               "--out", "out", "--overwrite"], cwd=folder, capture_output=True)
                        if done.returncode not in (0, NO_ANSWER):
                            done.check_returncode()
                        seconds = time.monotonic() - begin
                        chains = [read_chain(file) for file in sorted(out.glob("chain_*.csv"))]
                        accepted = np.mean([np.mean(acceptance) for _, acceptance in chains])
                        cells.append(f"{worth([draws for draws, _ in chains], sd):.2g}, {accepted:.2f}, {seconds:.0f} s")
                    print(f"| {rows} | {epsilon:g} | {method} | " + " | ".join(cells) + f" | {best:.2g} |", flush=True)


def simulated(dim, k, steps, noise, rng):
    """Effective draws of penalty walks on a normal target whose steps carry noise of this size, of `steps` in all."""
    length = noise / math.sqrt(k * steps)
    walks, moves = 400, 400
    at = rng.normal(size=(walks, dim))
    jumped = 0.0
    for _ in range(moves):
        candidate = at + length / math.sqrt(dim) * rng.normal(size=at.shape)
        ratio = 0.5 * np.sum(at**2 - candidate**2, axis=1)
        accepted = np.log(rng.uniform(size=walks)) < ratio + noise * rng.normal(size=walks) - noise**2 / 2
        jumped += np.mean(np.sum((candidate - at)[accepted] ** 2, axis=1)) * accepted.mean() / dim if accepted.any() else 0
        at[accepted] = candidate[accepted]
    gap = jumped / moves / 2
    return steps * gap / (2 - gap)


def theory():
    sizes = (0.5, 1, 1.5, 2, 2.4, 3, 4)
    print("| dim | k T | " + " | ".join(f"noise {noise:g}" for noise in sizes) + " |")
    print("|---|---|" + "---|" * len(sizes))
    rng = np.random.default_rng(3)
    for dim in (2, 5, 20):
        for product in (1, 10, 100):
            steps, k = 10000, product / 10000
            cells = []
            for noise in sizes:
                total = noise * math.sqrt(1 + 1 / product)
                formula = noise**2 * 2 * normal_tail(total / 2) / (4 * dim)
                cells.append(f"{1000 * k * simulated(dim, k, steps, noise, rng):.0f}, {1000 * formula:.0f}")
            print(f"| {dim} | {product:g} | " + " | ".join(cells) + " |", flush=True)


def without_rehearsal(program):
    """Programs before the rehearsal do not know the option."""
    told = subprocess.run([program, "fit", "--help"], capture_output=True, text=True, check=True).stdout
    return ["--force"] if "--force" in told else []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="*")
    parser.add_argument("--theory", action="store_true")
    parser.add_argument("--rows", type=int, nargs="+", default=[100000, 1000000])
    parser.add_argument("--epsilon", type=float, nargs="+", default=[1, 3, 10])
    parser.add_argument("--method", nargs="+", default=METHODS)
    args = parser.parse_args()
    if args.theory:
        theory()
    if args.program:
        against_programs(args)


if __name__ == "__main__":
    main()
