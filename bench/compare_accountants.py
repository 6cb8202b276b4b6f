"""Sotto's accountant beside dp_accounting, prv_accountant, opendp and autodp, on jobs that people have: a table of bounds and times.

The peers are no dependencies of the project; they live in an environment of their own:

    python3 -m venv out/peers && out/peers/bin/pip install dp-accounting==0.6.0 prv-accountant==0.2.0 opendp==0.16.0 autodp==0.2.3.1 pyarrow
    PYTHONPATH=build/release/python out/peers/bin/python bench/compare_accountants.py build/release/src/sotto > out/peers.md

Times are processor time, the least of three calls (of one, where that takes longer than two seconds): of `sotto account` with all that
starting it takes, of all others within a process that runs already, imports not counted. An error is the distance of an upper bound
from sotto's finest lower bound (--accuracy 1e-6), and so never too small. A peer whose bounds contradict sotto's finest is marked "!".
"""

import json
import logging
import os
import resource
import subprocess
import sys
import time
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")
from peer_accountants import PEERS, Steps  # noqa: E402

DP_SGD = "subsampled-gaussian"
ROUNDING = 1e-11  # of epsilon: no narrower bounds are told apart
JOBS = [
    ("one count, Laplace noise, scale 1", [Steps("laplace", 1, {"scale": 1})], 1e-6),
    ("one mean, Gaussian noise, sigma 5", [Steps("gaussian", 1, {"sigma": 5})], 1e-6),
    ("100 queries, Gaussian noise, sigma 20", [Steps("gaussian", 100, {"sigma": 20})], 1e-5),
    ("10,000 queries, Gaussian noise, sigma 150", [Steps("gaussian", 10000, {"sigma": 150})], 1e-6),
    ("two sorts of Gaussian queries", [Steps("gaussian", 10, {"sigma": 8}), Steps("gaussian", 40, {"sigma": 25})], 1e-6),
    ("100 counts, Laplace noise, scale 20", [Steps("laplace", 100, {"scale": 20})], 1e-6),
    ("10,000 counts, Laplace noise, scale 300", [Steps("laplace", 10000, {"scale": 300})], 1e-6),
    ("50 counts, Laplace noise, scale 13.7", [Steps("laplace", 50, {"scale": 13.7})], 1e-9),
    ("census, discrete Gaussian, sigma 7, 60 tables", [Steps("discrete-gaussian", 60, {"sigma": 7, "grid": 1})], 1e-10),
    ("discrete Gaussian, sigma 2.5, 5 histograms", [Steps("discrete-gaussian", 5, {"sigma": 2.5, "grid": 1})], 1e-6),
    ("survey, 20 coin answers, half at random", [Steps("randomized-response", 20, {"probability": 0.5, "levels": 2})], 1e-6),
    ("survey, 200 answers of 10 levels", [Steps("randomized-response", 200, {"probability": 0.97, "levels": 10})], 1e-6),
    ("60 pure releases, epsilon 0.1", [Steps("pure", 60, {"epsilon": 0.1})], 1e-6),
    ("60 releases, (0.1, 1e-9)", [Steps("approximate", 60, {"epsilon": 0.1, "delta": 1e-9})], 1e-6),
    ("DP-SGD, MNIST: 256 of 60,000, noise 1.1, 15 epochs", [Steps(DP_SGD, 3516, {"sigma": 1.1, "rate": 256 / 60000})], 1e-5),
    ("DP-SGD, CIFAR-10: 4096 of 50,000, noise 3, 2,500 steps", [Steps(DP_SGD, 2500, {"sigma": 3, "rate": 0.08192})], 1e-5),
    ("DP-SGD, large batches: rate 0.25, noise 10, 1,000 steps", [Steps(DP_SGD, 1000, {"sigma": 10, "rate": 0.25})], 1e-6),
    ("DP-SGD, language model: rate 1e-3, noise 0.8, 100,000 steps", [Steps(DP_SGD, 100000, {"sigma": 0.8, "rate": 1e-3})], 1e-7),
    ("federated: rate 1e-4, noise 0.7, 2,000 rounds", [Steps(DP_SGD, 2000, {"sigma": 0.7, "rate": 1e-4})], 1e-8),
    ("DP-SGD, little noise: rate 0.01, noise 0.6, 500 steps", [Steps(DP_SGD, 500, {"sigma": 0.6, "rate": 0.01})], 1e-5),
    ("sampled Laplace: rate 0.01, scale 1, 1,000 steps", [Steps("subsampled-laplace", 1000, {"scale": 1, "rate": 0.01})], 1e-6),
    (
        "mixed: Gaussian, Laplace and DP-SGD",
        [
            Steps("gaussian", 10, {"sigma": 8}),
            Steps("laplace", 5, {"scale": 20}),
            Steps(DP_SGD, 1000, {"sigma": 1.5, "rate": 0.01}),
        ],
        1e-6,
    ),
    ("zCDP, rho 0.5 as somebody else gives it", [Steps("zcdp", 1, {"rho": 0.5})], 1e-6),
    (
        "DP-SGD without replacement: 1,000 of 100,000, noise 4, 1,000 steps",
        [Steps(DP_SGD, 1000, {"sigma": 4, "rate": 0.01, "sampling": "without-replacement"})],
        1e-6,
    ),
]


def exchanged(steps):
    return any(s.name == "randomized-response" or "sampling" in s.keys for s in steps)


def timed(ask):
    """What is answered, and the least processor time of up to three calls."""
    least = float("inf")
    for _ in range(3):
        start = time.process_time() + resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        start += resource.getrusage(resource.RUSAGE_CHILDREN).ru_stime
        answer = ask()
        end = time.process_time() + resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        end += resource.getrusage(resource.RUSAGE_CHILDREN).ru_stime
        least = min(least, end - start)
        if least > 2:
            break
    return answer, least


def terms(steps):
    """The bound and the adjacency that `sotto account` is asked with: zCDP alone has no loss distribution."""
    bound = "zcdp" if any(s.name == "zcdp" for s in steps) else "tight"
    return bound, "substitute" if exchanged(steps) else "add-remove"


def by_command(program, steps, delta, accuracy="5e-4"):
    bound, adjacency = terms(steps)
    words = [program, "account", "--delta", str(delta), "--bound", bound, "--adjacency", adjacency, "--json"]
    words += ["--accuracy", accuracy] + [word for s in steps for word in ("--mechanism", s.spec())]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    return told["epsilon_lower"], told["epsilon_upper"]


def by_python(sotto, steps, delta):
    bound, adjacency = terms(steps)
    events = [sotto.Event.parse(s.spec()) for s in steps]
    cost = sotto.account(events, delta=delta, bound=bound, adjacency=adjacency)
    return cost.epsilon_lower, cost.epsilon_upper


def milliseconds(seconds):
    return f"{1000 * seconds:,.0f} ms" if seconds >= 0.0095 else f"{1000 * seconds:.1f} ms"


def row(program, sotto, title, steps, delta):
    finest = by_command(program, steps, delta, "1e-6")
    ours, command_time = timed(lambda: by_command(program, steps, delta))
    same, python_time = timed(lambda: by_python(sotto, steps, delta))
    assert same == ours, "the program and the package disagree"
    width = ours[1] - ours[0]
    known = finest[0] > 0  # else only upper bounds are compared
    cells = [title, f"{delta:g}", f"{ours[1]:.6f}", f"{width:.1e}" if known else "upper bound only"]
    cells.append(f"{max(ours[1] - finest[0], 0):.1e}" if known else "–")
    cells += [milliseconds(command_time), milliseconds(python_time)]
    best = None
    for name, peer in PEERS.items():
        try:
            answer, seconds = timed(lambda peer=peer: peer(steps, delta))
        except Exception as error:  # a peer that fails says so in the table
            cells.append(f"fails: {type(error).__name__}")
            print(title, name, repr(error), file=sys.stderr)
            continue
        if answer is None:
            cells.append("–")
            continue
        lower, upper = (float(x) for x in answer)
        wrong = known and (upper < finest[0] or lower > finest[1])
        measure = upper - lower if "two-sided" in name else upper - finest[0] if known else upper
        shown = f"{measure:.1e}" if known else f"{measure:.6f}"
        cells.append(f"{shown}{'!' if wrong else ''}, {milliseconds(seconds)}")
        if "two-sided" not in name and not wrong and (best is None or upper < best[0]):
            best = upper, seconds
    if best is None:
        cells.append("–")
    else:
        worse = [word for word, is_so in (("wider", ours[1] > best[0] + ROUNDING),
                                          ("slower", python_time > best[1])) if is_so]
        cells.append(", ".join(worse) or "yes")
    print("| " + " | ".join(cells) + " |", flush=True)


def main():
    import sotto

    program = sys.argv[1]
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    peers = [name + (": width, time" if "two-sided" in name else ": error, time") for name in PEERS]
    head = ["job", "delta", "epsilon", "width", "error", "`sotto account`", "`sotto.account`", *peers, "as narrow as the best peer, and as fast as that"]
    print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
    for title, steps, delta in JOBS:
        row(program, sotto, title, steps, delta)


if __name__ == "__main__":
    main()
