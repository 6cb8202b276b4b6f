"""Models of one's own for tests, and a table that they fit."""

import numpy as np
import pandas as pd

import sotto

BUDGET = {"epsilon": 8, "delta": 1e-6}


class Robust(sotto.Model):
    """Student t errors with 4 degrees of freedom and scale 1; the score is at most 1.25."""

    parameters = ["intercept", "slope"]
    columns = ["x", "y"]
    slope_bound = [1.25, 1.25]

    def log_density(self, rows, position):
        residual = rows["y"] - position[0] - position[1] * rows["x"]
        return -2.5 * np.log1p(residual**2 / 4)


class Logistic(sotto.Model):
    parameters = ["Intercept", "x"]
    columns = ["ill", "x"]
    slope_bound = [1, 1]

    def log_density(self, rows, position):
        return -np.logaddexp(0, (1 - 2 * rows["ill"]) * (position[0] + position[1] * rows["x"]))

    def gradient(self, rows, position):
        wrong = rows["ill"] - 1 / (1 + np.exp(-position[0] - position[1] * rows["x"]))
        return np.stack([wrong, wrong * rows["x"]], axis=1)


SCHEMA = sotto.Schema({"x": sotto.real(-1, 1), "y": sotto.real(-50, 50)})


def lines(rows=4000, seed=1):
    generator = np.random.default_rng(seed)
    x = generator.uniform(-1, 1, rows)
    return pd.DataFrame({"x": x, "y": 1 - 2 * x + generator.standard_t(4, rows)})


def with_code(model, **code):
    """An instance of the model with other methods or declarations."""
    return type("Changed", (model,), code)()
