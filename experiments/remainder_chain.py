"""Whether a chain on what lies beyond a released quadratic would pay: the table of docs/walks.md.

    python3 experiments/remainder_chain.py [--tables T] [--seed S]

Logistic regressions with an intercept and columns that are uniform on [-1, 1], under substitution, delta 1e-6. Everything that is
not the point is given away: the anchor is the maximum of the likelihood, the curvature there is exact and free. Two ways to spend the
rest of a budget are compared on the same tables:

    once    all of it on the score; the posterior is normal, the noise's variance added
    chain   half on the score, half on ratios of the remainder R(b) = l(b) - l(a) - s'(b - a) + (b - a)'H(b - a)/2; the law that a
            chain of endless length would have: for noise z of the score's size, the density exp((s + noise - z)'(b - a)
            - (b - a)'H(b - a)/2 + R(b)), mixed over z

Printed: effective draws that the chain's half buys a penalty walk at its best, 0.331 / (d k), on the remainder and on the whole ratio;
coverage of 90 % intervals and geometric mean of standard deviations over those of the fit without privacy, both ways; and how far R
moves a mean, in standard deviations. Needs numpy.
"""

import argparse

import numpy as np

DELTA = 1e-6
STEEPEST = 1 / (6 * np.sqrt(3))  # of the third derivative of log(1 + exp(t))
NOISES, EACH = 60, 150  # of z, and positions for each


def rho_of(epsilon):
    """The largest rho with rho + 2 sqrt(rho log(1/delta)) <= epsilon."""
    log = np.log(1 / DELTA)
    return (np.sqrt(log + epsilon) - np.sqrt(log)) ** 2


def mode(x, y):
    at = np.zeros(x.shape[1])
    for _ in range(100):
        mean = 1 / (1 + np.exp(-x @ at))
        curvature = x.T @ (x * (mean * (1 - mean))[:, None])
        move = np.linalg.solve(curvature + 1e-9 * np.eye(len(at)), x.T @ (y - mean))
        at += move / max(1.0, np.abs(move).max())
        if np.abs(move).max() < 1e-10:
            break
    mean = 1 / (1 + np.exp(-x @ at))
    return at, x.T @ (x * (mean * (1 - mean))[:, None])


def remainder(x, at, moves):
    """R at `at` + each of `moves`: it depends on the rows through their covariates alone."""
    eta = x @ at
    mean = 1 / (1 + np.exp(-eta))
    u = x @ moves.T
    whole = np.logaddexp(0, eta[:, None] + u) - np.logaddexp(0, eta)[:, None]
    return (mean[:, None] * u + (mean * (1 - mean))[:, None] * u**2 / 2 - whole).sum(axis=0)


def effective_draws(covariance, wide, rho, rng):
    """0.331 / (d k) on the remainder and on the whole ratio. A row lies in the box [-1, 1]^d, so that x'm is at most the sum of |m|;
    the remainder's slope at x'm = t is at most STEEPEST t^2 / 2. Two rows differ by at most twice a row's ratio."""
    d = len(covariance)
    factor = np.linalg.cholesky(covariance)
    short = 0.1
    here = rng.multivariate_normal(np.zeros(d), wide, size=4000)
    step = short * rng.standard_normal((4000, d)) @ factor.T / np.sqrt(d)
    farthest = np.maximum(np.abs(here).sum(axis=1), np.abs(here + step).sum(axis=1))
    moved = np.abs(step).sum(axis=1)
    k = [np.mean((2 * of) ** 2) / short**2 / (2 * rho) for of in (STEEPEST * farthest**2 / 2 * moved, moved)]
    return [0.331 / (d * one) for one in k]


def one_table(n, d, strength, epsilon, rng):
    truth = np.concatenate([[-0.5], strength * np.array([1, -0.7, 0.5, -0.3])[: d - 1]])
    x = np.column_stack([np.ones(n), rng.uniform(-1, 1, size=(n, d - 1))])
    y = (rng.uniform(size=n) < 1 / (1 + np.exp(-x @ truth))).astype(float)
    at, curvature = mode(x, y)
    covariance = np.linalg.inv(curvature)
    rho = rho_of(epsilon)
    # A row's score is at most as long as the row: two differ by at most 2 sqrt(d).
    noise = lambda share: 2 * np.sqrt(d) / np.sqrt(2 * rho * share)
    wide = lambda sd: covariance + sd**2 * covariance @ covariance
    free = np.sqrt(np.diag(covariance))

    result = {}
    unit = rng.standard_normal(d)
    sd = noise(1)
    centre = covariance @ (sd * unit)
    spread = np.sqrt(np.diag(wide(sd)))
    result["once"] = (np.mean(np.abs(centre - (truth - at)) < 1.645 * spread), np.mean(np.log(spread / free)))

    sd = noise(0.5)
    result["draws"] = effective_draws(covariance, wide(sd), rho / 2, rng)
    z = sd * rng.standard_normal((NOISES, d))
    centres = (sd * unit - z) @ covariance
    moves = centres[:, None, :] + rng.standard_normal((NOISES, EACH, d)) @ np.linalg.cholesky(covariance).T
    logs = remainder(x, at, moves.reshape(-1, d)).reshape(NOISES, EACH)
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    weights = (weights / weights.sum(axis=1, keepdims=True)).reshape(-1) / NOISES
    flat = moves.reshape(-1, d)
    mean = weights @ flat
    spread = np.sqrt(weights @ (flat - mean) ** 2)
    inside = []
    for j in range(d):
        below = weights[flat[:, j] < truth[j] - at[j]].sum()
        inside.append(0.05 <= below <= 0.95)
    result["chain"] = (np.mean(inside), np.mean(np.log(spread / free)))
    result["moved"] = np.max(np.abs(mean - flat.mean(axis=0)) / spread)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    print("| rows | d | slopes | epsilon | draws, whole ratio | draws, remainder | once: covered, sd ratio | chain: covered, sd ratio | moved by R |")
    print("|---|---|---|---|---|---|---|---|---|")
    for n, d, strength, epsilon in [(500, 3, 1, 1), (500, 3, 1, 10), (500, 3, 4, 10), (2000, 5, 1, 1), (2000, 5, 1, 3), (2000, 5, 4, 3),
                                    (2000, 5, 4, 10), (20000, 5, 1, 1), (20000, 5, 4, 1), (20000, 5, 4, 3)]:
        rng = np.random.default_rng(args.seed)
        tables = [one_table(n, d, strength, epsilon, rng) for _ in range(args.tables)]

        def of(way):
            return f"{np.mean([t[way][0] for t in tables]):.2f}, {np.exp(np.mean([t[way][1] for t in tables])):.2f}"

        draws = np.median([t["draws"] for t in tables], axis=0)
        print(f"| {n} | {d} | {strength} | {epsilon} | {draws[1]:.2g} | {draws[0]:.2g} | {of('once')} | {of('chain')} | "
              f"{np.median([t['moved'] for t in tables]):.2f} |", flush=True)


if __name__ == "__main__":
    main()
