"""How `sotto density` grows with the rows: processor time, least effective draws and largest R-hat of all reported quantities.

    .venv/bin/python bench/density_growth.py build/release/src/sotto

Three normals truncated to [-10, 10] through Laplace noise, all settings as they are by default (four chains of 11,000 sweeps, two threads).
Processor time is that of the whole command. One run each.
"""

import json
import pathlib
import resource
import subprocess
import sys
import tempfile

import numpy as np


def used():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def simulate(n):
    rng = np.random.default_rng(2024)
    y = np.empty(0)
    while len(y) < n:
        more = rng.choice((-5, 0, 5), n) + rng.normal(size=n)
        y = np.concatenate([y, more[np.abs(more) <= 10]])
    return y[:n]


def main():
    sotto = str(pathlib.Path(sys.argv[1]).resolve())
    print("| rows, epsilon | algorithm | processor time | largest R-hat | least effective draws | width of the bands |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for n in (1000, 10_000, 100_000, 1_000_000):
            table = folder / f"{n}.csv"
            table.write_text("y\n" + "".join(f"{y:.6f}\n" for y in simulate(n)))
            for epsilon in (1, 10):
                noisy, out = folder / f"{n}_{epsilon}.csv", folder / f"{n}_{epsilon}"
                words = [sotto, "privatize", table, "--column", "y", "--channel", "laplace", "--lower", -10, "--upper", 10]
                subprocess.run([str(w) for w in [*words, "--epsilon", epsilon, "--out", noisy]], check=True, capture_output=True)
                start = used()
                subprocess.run([sotto, "density", str(noisy), "--out", str(out)], check=True, capture_output=True)
                seconds = used() - start
                summary = json.loads((out / "summary.json").read_text())
                lines = summary["diagnostics"].values()
                rhat = max(line["rhat"] for line in lines)
                least = min(min(line["ess_bulk"], line["ess_tail"]) for line in lines)
                width = summary["columns"][0]["band_width"]
                print(f"| {n:,}, {epsilon} | {summary['algorithm']} | {seconds:,.0f} s | {rhat:.3f} | {least:,.0f} | {100 * width:.0f} % |", flush=True)


if __name__ == "__main__":
    main()
