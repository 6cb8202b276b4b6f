"""Coverage where the unit is a person of several rows: the table of docs/release-once.md.

    python3 experiments/persons_coverage.py SOTTO [--sets N] [--epsilon E ...] [--family F ...] [--design D ...]

Simulates tables of persons who differ from one another beyond what the formula says, runs SOTTO (the program) on them at its defaults,
and compares with the fit without privacy that takes rows as independent and has the standard errors of clusters (a sandwich). The truth
is that fit of 200,000 persons. Per design: coverage of 90 % intervals with one standard error over tables, that of the fit without
privacy and of one without the sandwich, mean ratio of standard deviations to the sandwich's, share of tables with a warning, and the
largest distance of a posterior mean from the truth without one, in posterior standard deviations. Needs numpy.
"""

import argparse
import pathlib
import tempfile
import time

import numpy as np

from fit_summary import fit_summary

MANY = 200_000
USUAL = {"persons": 4000, "sizes": "five", "most": 5, "between": 1.0, "adjacency": "substitute"}
DESIGNS = {
    "five rows each": {},
    "five, alike by formula alone": {"between": 0.0},
    "five, persons differ much": {"between": 2.0},
    "one to eight, at most 20": {"sizes": "few", "most": 20},
    "few with many, at most 60": {"sizes": "skewed", "most": 60},
    "one row each, at most 5": {"persons": 20000, "sizes": "one"},
    "20,000 persons": {"persons": 20000},
    "1,000 persons": {"persons": 1000},
    "add-remove": {"adjacency": "add-remove"},
}
# Of a person's own effect where `between` is one, and of the linear predictor's columns: person's group, person's age, row's season.
SCALE = {"bernoulli": 1.0, "poisson": 0.5, "normal": 6.0}
EFFECTS = {"bernoulli": [-0.4, 0.5, 0.02, 0.4], "poisson": [0.3, 0.3, 0.01, 0.3], "normal": [100.0, 3.0, 0.2, 4.0]}


def sizes_of(kind, persons, rng):
    if kind == "five":
        return np.full(persons, 5)
    if kind == "one":
        return np.ones(persons, int)
    if kind == "few":
        return rng.integers(1, 9, persons)
    return np.minimum(np.ceil(rng.pareto(1.3, persons) + 0.5), 60).astype(int)


def simulate(design, family, rng):
    """Persons, covariates with an intercept, responses."""
    sizes = sizes_of(design["sizes"], design["persons"], rng)
    person = np.repeat(np.arange(len(sizes)), sizes)
    group = (rng.random(len(sizes)) < 0.4)[person].astype(float)
    age = rng.uniform(30, 80, len(sizes)).round(1)[person]
    season = rng.uniform(-1, 1, len(person)).round(3)
    x = np.column_stack([np.ones(len(person)), group, age - 55, season])
    own = design["between"] * SCALE[family] * rng.standard_normal(len(sizes))
    eta = x @ np.array(EFFECTS[family]) + own[person]
    if family == "bernoulli":
        y = (rng.random(len(eta)) < 1 / (1 + np.exp(-eta))).astype(float)
    elif family == "poisson":
        y = np.minimum(rng.poisson(np.exp(eta)), 60).astype(float)
    else:
        y = np.clip(eta + 6 * rng.standard_normal(len(eta)), 0, 200).round(3)
    return person, x, y


def without_privacy(family, person, x, y):
    """Estimates, standard errors of clusters, and of independent rows."""
    at = np.zeros(x.shape[1])
    if family == "poisson":
        at[0] = np.log(y.mean())
    for _ in range(50):
        eta = x @ at
        mean = {"bernoulli": lambda: 1 / (1 + np.exp(-eta)), "poisson": lambda: np.exp(eta), "normal": lambda: eta}[family]()
        slope = {"bernoulli": lambda: mean * (1 - mean), "poisson": lambda: mean, "normal": lambda: np.ones(len(y))}[family]()
        information = x.T @ (x * slope[:, None])
        step = np.linalg.solve(information, x.T @ (y - mean))
        at = at + step
        if np.abs(step).max() < 1e-10:
            break
    rows = x * (y - mean)[:, None]
    clusters = np.zeros((person.max() + 1, x.shape[1]))
    np.add.at(clusters, person, rows)
    inverse = np.linalg.inv(information)
    sandwich = inverse @ (clusters.T @ clusters) @ inverse
    dispersion = np.mean((y - mean) ** 2) if family == "normal" else 1.0
    return at, np.sqrt(np.diag(sandwich)), np.sqrt(dispersion * np.diag(inverse))


def original(at):
    """Coefficients of age and not of age - 55."""
    return np.array([at[0] - 55 * at[2], *at[1:]])


SCHEMA = """adjacency = "{adjacency}"
[unit]
person = "id"
maximum_rows = {most}
[[column]]
name = "group"
kind = "binary"
[[column]]
name = "age"
kind = "real"
lower = 18
upper = 100
[[column]]
name = "season"
kind = "real"
lower = -1
upper = 1
[[column]]
name = "y"
kind = "{kind}"
{bounds}
"""
KINDS = {"bernoulli": ("binary", ""), "poisson": ("count", "lower = 0\nupper = 60"), "normal": ("real", "lower = 0\nupper = 200")}


def private(program, design, family, folder, table, epsilon, seed):
    person, x, y = table
    order = np.random.default_rng(seed).permutation(len(y))
    lines = [f"p{person[i]},{int(x[i, 1])},{x[i, 2] + 55:.1f},{x[i, 3]:.3f},{y[i]:g}" for i in order]
    (folder / "table.csv").write_text("id,group,age,season,y\n" + "\n".join(lines) + "\n")
    kind, bounds = KINDS[family]
    (folder / "schema.toml").write_text(
        SCHEMA.format(adjacency=design["adjacency"], most=design["most"], kind=kind, bounds=bounds))
    return fit_summary(program, folder, family, "y ~ group + age + season", epsilon, seed)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--sets", type=int, default=20)
    parser.add_argument("--epsilon", type=float, nargs="+", default=[1.0])
    parser.add_argument("--family", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--design", nargs="+", choices=DESIGNS, default=list(DESIGNS))
    arguments = parser.parse_args()
    print("| family | design | epsilon | coverage of 90 % intervals | clusters | independent rows | sd ratio | warned "
          "| farthest unwarned | s |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for family in arguments.family:
        for name in arguments.design:
            design = USUAL | DESIGNS[name]
            many = simulate(design | {"persons": MANY}, family, np.random.default_rng(1))
            true = original(without_privacy(family, *many)[0])
            for epsilon in arguments.epsilon:
                covered, clusters, independent, ratios, warned, farthest, seconds = [], [], [], [], 0, 0.0, 0.0
                for seed in range(arguments.sets):
                    table = simulate(design, family, np.random.default_rng(1000 + seed))
                    at, robust, naive = without_privacy(family, *table)
                    with tempfile.TemporaryDirectory() as folder:
                        begin = time.perf_counter()
                        summary = private(arguments.program, design, family, pathlib.Path(folder), table, epsilon, seed)
                        seconds += time.perf_counter() - begin
                    found = [p for p in summary["parameters"] if p["parameter"] != "sigma"]
                    lower, upper, mean, sd = (np.array([p[key] for p in found]) for key in ("q05", "q95", "mean", "sd"))
                    covered.append(np.mean((lower <= true) & (true <= upper)))
                    # The intercept is left out: at age zero another standard error would have to be computed.
                    off = np.abs(original(at) - true)[1:]
                    clusters.append(np.mean(off < 1.645 * robust[1:]))
                    independent.append(np.mean(off < 1.645 * naive[1:]))
                    ratios.append(np.mean(sd[1:] / robust[1:]))
                    if any(not sentence.startswith("Note: ") for sentence in summary["warnings"]):
                        warned += 1
                    else:
                        farthest = max(farthest, np.abs((mean - true) / sd).max())
                sets = arguments.sets
                print(f"| {family} | {name} | {epsilon:g} | {np.mean(covered):.3f} ± {np.std(covered) / np.sqrt(sets):.3f} "
                      f"| {np.mean(clusters):.3f} | {np.mean(independent):.3f} | {np.mean(ratios):.2f} | {warned / sets:.2f} "
                      f"| {farthest:.1f} | {seconds / sets:.1f} |", flush=True)


if __name__ == "__main__":
    main()
