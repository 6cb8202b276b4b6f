"""Plots what `sotto experiment mixtures` wrote: densities, probabilities or histograms where there are curves, else rates over epsilon. Prints the table too:
a line a release and algorithm, the median of every measure over the repeats.

    sotto experiment mixtures --figure 2 --out out/figure-2
    .venv/bin/python experiments/plot_mixtures.py out/figure-2 figure-2.svg
"""

import io
import sys
from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import pandas as pd
from PIL import Image

NAMES = ["mechanism", "level", "rows", "delta", "epsilon"]
RATES = ["acceptance", "ess", "ari"]


def medians(runs):
    measures = [c for c in runs.columns if c not in [*NAMES, "algorithm", "repeat", "sweeps", "seconds"]]
    return runs.groupby([*NAMES, "algorithm"], sort=False)[measures].median()


def print_table(table):
    varying = [name for name in table.index.names if table.index.get_level_values(name).nunique() > 1]
    flat = table.reset_index()[varying + list(table.columns)]
    print("| " + " | ".join(flat.columns) + " |\n" + "|---" * len(flat.columns) + "|")
    for row in flat.itertuples(index=False):
        cells = ["" if pd.isna(c) else f"{c:.3g}" if isinstance(c, float) else str(c) for c in row]
        print("| " + " | ".join(cells) + " |")


def title(names, varying):
    shown = dict(zip(NAMES, names))
    words = [f"{shown['mechanism']} {shown['level']:g}".removesuffix(" 0")]
    words += [f"{name} {shown[name]:.4g}" for name in ("rows", "delta", "epsilon") if name in varying and (shown[name] or name == "rows")]
    line = ", ".join(words)
    return line if len(line) < 35 else line.replace(", ", "\n", 1)


def plot_panels(curves, target, draw):
    """`draw(axis, panel, colours)` for every release, budgets side by side; one legend for all."""
    panels = list(curves.groupby(NAMES, sort=False))
    varying = [name for name in NAMES if curves[name].nunique() > 1]
    budgets = curves.epsilon.nunique()
    columns = min(5, budgets if budgets > 3 else len(panels))
    rows = -(-len(panels) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(1.75 * columns, 1.35 * rows), layout="constrained", squeeze=False)
    colours = {name: f"C{i}" for i, name in enumerate(curves.algorithm.unique())}
    for axis in axes.flat[len(panels):]:
        axis.set_visible(False)
    for axis, (names, panel) in zip(axes.flat, panels):
        draw(axis, panel, colours)
        axis.set_title(title(names, varying), fontsize=6)
        axis.tick_params(labelsize=6)
    seen = {}
    for axis in axes.flat:
        seen.update(dict(zip(*reversed(axis.get_legend_handles_labels()))))
    if seen:
        figure.legend(seen.values(), seen.keys(), loc="outside lower center", ncols=6, fontsize=7)
    pixels = io.BytesIO()
    figure.savefig(pixels, dpi=120, format="png")
    Image.open(pixels).convert("RGB").quantize(128, dither=Image.Dither.NONE).save(target, optimize=True)


def plot_densities(curves, target):
    truth = curves[curves.curve == "truth"]
    top = 1.7 * truth.value.max()

    def draw(axis, panel, colours):
        axis.plot(truth.x, truth.value, color="black", linestyle=":", linewidth=0.9, label="truth")
        for i, (algorithm, lines) in enumerate(panel.groupby("algorithm", sort=False)):
            at = {curve: part for curve, part in lines.groupby("curve")}
            axis.plot(at["mean"].x, at["mean"].value, color=colours[algorithm], linewidth=0.9, label=algorithm)
            if i == 0 and "lower" in at:
                axis.fill_between(at["lower"].x, at["lower"].value, at["upper"].value, alpha=0.2, linewidth=0, color=colours[algorithm])
        axis.set(ylim=(0, top), xlim=(truth.x.min(), truth.x.max()))

    plot_panels(curves[curves.curve != "truth"], target, draw)


def plot_clusters(curves, target):
    most = curves.x[curves.value > 0.005].max()

    def draw(axis, panel, colours):
        for algorithm, line in panel.groupby("algorithm", sort=False):
            axis.plot(line.x, line.value, "o-", markersize=2, linewidth=0.9, color=colours[algorithm], label=algorithm)
        axis.set(ylim=(0, 1.1 * curves.value.max()), xlim=(0.5, most + 0.5))

    plot_panels(curves, target, draw)


def plot_releases(curves, target):
    def draw(axis, panel, colours):
        axis.hist(panel.value, bins=30, range=(curves.value.min(), curves.value.max()), color="C0")

    plot_panels(curves.assign(algorithm="release"), target, draw)


def plot_rates(table, target):
    flat = table.reset_index()
    measures = [m for m in RATES if m in flat.columns]
    varying = [name for name in NAMES if flat[name].nunique() > 1 and name != "epsilon"]
    groups = list(flat.groupby(NAMES[:-1], sort=False))
    figure, axes = plt.subplots(
        len(measures), len(groups), figsize=(2.2 * len(groups), 2 * len(measures) + 0.4), layout="constrained", squeeze=False
    )
    for row, measure in zip(axes, measures):
        for axis, (names, group) in zip(row, groups):
            for algorithm, line in group.groupby("algorithm", sort=False):
                axis.plot(line.epsilon, line[measure], "o-", markersize=3, linewidth=1, label=algorithm)
            if measure == "acceptance":
                axis.plot(group.epsilon, (-group.true_epsilon).map(lambda e: 2.718281828**e), ":", color="black", linewidth=1, label="bound")
                axis.set_ylim(0, 1)
            axis.set_xscale("log")
            axis.set_xticks(sorted(group.epsilon.unique()), [f"{e:g}" for e in sorted(group.epsilon.unique())], minor=False)
            axis.minorticks_off()
            axis.set_title(title((*names, 0), varying), fontsize=7)
            axis.tick_params(labelsize=6)
        row[0].set_ylabel(measure, fontsize=7)
    axes[0][0].legend(fontsize=6)
    figure.savefig(target, metadata={"Date": None})


def main(folder, target=None):
    runs = pd.read_csv(Path(folder) / "table.csv")
    table = medians(runs)
    print_table(table)
    if target is None:
        return
    plt.rcParams.update({"svg.hashsalt": "mixtures", "svg.fonttype": "none", "font.size": 8})
    curves = Path(folder) / "curves.csv"
    if curves.exists():
        table = pd.read_csv(curves)
        kind = table.curve.iloc[0]
        {"truth": plot_densities, "probability": plot_clusters, "release": plot_releases}[kind](table, target)
    else:
        plot_rates(table, target)


if __name__ == "__main__":
    main(*sys.argv[1:])
