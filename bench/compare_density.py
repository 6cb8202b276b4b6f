"""`sotto density` beside a plain prototype of the same sampler on the same model: sweeps and effective draws per second of processor time.

    .venv/bin/python bench/compare_density.py build/release/src/sotto build/release/bench/density_prototype

Three normals truncated to [-10, 10] through Laplace noise [BFR24, section 4.1]; one chain, one thread; private Neal 5, one imputed value.
Processor time is that of the whole command: reading, the prior's bands, the chain, densities, clusters, the report. "Chain" is what
further 30,000 sweeps of warmup add to it. Effective draws are those of the number of clusters (ArviZ, bulk). Means of two seeds.
"""

import csv
import pathlib
import random
import resource
import subprocess
import sys
import tempfile

import arviz
import numpy as np

DRAWS, THIN, WARMUP, MORE, SEEDS = 3000, 10, 2000, 30000, (1, 2)


def used():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(words):
    start = used()
    done = subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True)
    return done.stdout, used() - start


def effective(clusters):
    return float(arviz.ess(np.array(clusters, dtype=float)[None, :], method="bulk"))


def simulate(folder, sotto, n, epsilon):
    rng = random.Random(2024)
    rows = []
    while len(rows) < n:
        y = rng.choice((-5, 0, 5)) + rng.gauss(0, 1)
        if abs(y) <= 10:
            rows.append(y)
    table = folder / f"y{n}_{epsilon}.csv"
    table.write_text("y\n" + "".join(f"{y}\n" for y in rows))
    noisy = folder / f"z{n}_{epsilon}.csv"
    run([sotto, "privatize", table, "--column", "y", "--channel", "laplace", "--lower", -10, "--upper", 10]
        + ["--epsilon", epsilon, "--out", noisy])
    return noisy


def of_sotto(sotto, noisy, folder, seed, warmup):
    out = folder / f"out_{noisy.stem}_{seed}_{warmup}"
    _, seconds = run([sotto, "density", noisy, "--algorithm", "neal5", "--chains", 1, "--threads", 1, "--warmup", warmup]
                     + ["--draws", DRAWS, "--thin", THIN, "--seed", seed, "--out", out])
    with open(out / "chain_1.csv") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return [float(row["clusters"]) for row in rows], seconds


def of_prototype(program, noisy, epsilon, seed, warmup):
    told, seconds = run([program, noisy, -10, 10, epsilon, warmup, DRAWS, THIN, seed])
    return [float(line) for line in told.split()], seconds


def main():
    sotto, prototype = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
    print("| n, epsilon | who | sweeps a second: chain | whole command | effective draws a second of the chain | whole command | clusters |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for n, epsilon in ((200, 1), (200, 10), (1000, 1), (1000, 10)):
            noisy = simulate(folder, sotto, n, epsilon)
            for who, ask in (("`sotto density`", lambda s, w: of_sotto(sotto, noisy, folder, s, w)),
                             ("prototype", lambda s, w: of_prototype(prototype, noisy, epsilon, s, w))):
                runs = [ask(seed, WARMUP) for seed in SEEDS]
                longer = [ask(seed, WARMUP + MORE)[1] for seed in SEEDS]
                whole = sum(seconds for _, seconds in runs) / len(SEEDS)
                sweep = (sum(longer) / len(SEEDS) - whole) / MORE
                draws = sum(effective(clusters) for clusters, _ in runs) / len(SEEDS)
                mean = sum(sum(clusters) for clusters, _ in runs) / (len(SEEDS) * DRAWS)
                sweeps = WARMUP + DRAWS * THIN
                print(f"| {n}, {epsilon} | {who} | {1 / sweep:,.0f} | {sweeps / whole:,.0f} | {draws / (sweep * DRAWS * THIN):,.0f} "
                      f"| {draws / whole:,.0f} | {mean:.2f} |", flush=True)


if __name__ == "__main__":
    main()
