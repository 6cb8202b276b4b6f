"""Plots the distance from the true posterior against epsilon: table.csv files of `sotto experiment dp-hmc` in, SVG out; prints
the table too.

    sotto experiment dp-hmc --out out/dp-hmc
    .venv/bin/python experiments/plot_mmd.py experiments/mmd.svg out/dp-hmc/table.csv
"""

import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import pandas as pd


def print_table(runs):
    epsilons = sorted(runs.epsilon.unique())
    print("| problem | method | repeats |" + "".join(f" epsilon = {e:g} |" for e in epsilons))
    print("|---" * (3 + len(epsilons)) + "|")
    for (problem, method), group in runs.groupby(["problem", "method"], sort=False):
        cells = []
        for e in epsilons:
            some = group[group.epsilon == e]
            spread = f" ± {some.mmd.std():.2f}" if len(some) > 1 else ""
            cells.append(f"{some.mmd.mean():.2f}{spread}, {some.sd_ratio.mean():.2f} ({some.steps.max():,})")
        repeats = group.groupby("epsilon").size()
        assert repeats.nunique() == 1, "an epsilon lacks repeats"
        print(f"| {problem} | {method} | {repeats.iloc[0]} | " + " | ".join(cells) + " |")


def main(target, *sources):
    runs = pd.concat([pd.read_csv(source) for source in sources])
    print_table(runs)
    plt.rcParams.update({"svg.hashsalt": "mmd", "font.size": 9})
    problems = list(runs.problem.unique())
    figure, axes = plt.subplots(1, len(problems), figsize=(4 * len(problems), 3.2), layout="constrained", squeeze=False)
    for axis, problem in zip(axes[0], problems):
        for i, (method, group) in enumerate(runs[runs.problem == problem].groupby("method", sort=False)):
            mmd = group.groupby("epsilon").mmd
            shift = 1 + 0.01 * (i - 2.5)  # so that bars do not hide each other
            axis.errorbar(mmd.mean().index * shift, mmd.mean(), mmd.std().fillna(0), fmt="o-", capsize=2, label=method)
        axis.set(title=problem, xlabel="epsilon", ylim=(0, None))
    axes[0][0].set_ylabel("MMD, mean and standard deviation over repeats")
    axes[0][-1].legend(fontsize=8)
    figure.savefig(target, metadata={"Date": None})


if __name__ == "__main__":
    main(*sys.argv[1:])
