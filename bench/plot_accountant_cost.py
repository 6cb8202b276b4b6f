"""Plots what accounting costs: accountant_bench's JSON in, SVG out.

    build/release/bench/accountant_bench --benchmark_out=out/accountant.json --benchmark_out_format=json
    .venv/bin/python bench/plot_accountant_cost.py out/accountant.json docs/accounting-cost.svg
"""

import json
import math
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

SERIES = {
    "subsampled_gaussian": "Poisson-subsampled Gaussian, rate 0.01",
    "laplace": "Laplace",
}


def points(runs, name):
    found = [(int(r["name"].split("/")[1]), r["cpu_time"]) for r in runs if r["name"].startswith(name + "/")]
    return zip(*sorted(found))


def main(source, target):
    with open(source) as file:
        runs = [r for r in json.load(file)["benchmarks"] if r.get("run_type", "iteration") == "iteration"]
    plt.rcParams.update({"svg.hashsalt": "accounting", "font.size": 9})
    figure, (repeated, distinct) = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
    for name, label in SERIES.items():
        counts, times = points(runs, name)
        repeated.loglog(counts, times, "o-", label=label)
        if name == "subsampled_gaussian":
            start = times[0]
            repeated.loglog(counts, [start * math.log(n) / math.log(counts[0]) for n in counts], ":",
                            color="grey", label="growth as the logarithm")
    repeated.set(xlabel="compositions of one event", ylabel="both bounds of epsilon, ms", ylim=(0.1, 1000))
    repeated.legend(fontsize=8)
    kinds, times = points(runs, "distinct_events")
    distinct.loglog(kinds, times, "o-", color="tab:green")
    distinct.loglog(kinds, [times[0] * k for k in kinds], ":", color="grey", label="growth in proportion")
    distinct.set(xlabel="distinct events, 100 steps of each")
    distinct.legend(fontsize=8)
    figure.savefig(target, metadata={"Date": None})


if __name__ == "__main__":
    main(*sys.argv[1:])
