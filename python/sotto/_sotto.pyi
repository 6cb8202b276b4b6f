from typing import Any

import numpy as np
import numpy.typing as npt

version: str
exit_statuses: dict[str, int]

class Schema:
    @staticmethod
    def read(path: str) -> Schema: ...
    @staticmethod
    def parse(text: str) -> Schema: ...

def check(data: object, schema: Schema, formula: str) -> str: ...
def fit(
    tables: list[object], schema: Schema, settings: list[str], inputs: list[str], overwrite: bool, declared: object
) -> None: ...
def resume(directory: str, schema: Schema | None, settings: list[str], inputs: list[str]) -> None: ...
def plan(
    schema: Schema,
    settings: list[str],
    epsilons: list[float],
    rows: int,
    repeats: int,
    response_mean: float | None,
    like: object,
) -> tuple[str, str]: ...
def predict(
    directory: str, data: object, quantity: str, level: float, seed: int, nevertheless: bool, schema: Schema | None
) -> tuple[npt.NDArray[np.float64], list[str], str, list[str], str, list[str]]: ...
def event(text: str) -> str: ...
def event_of(specification: str) -> str: ...
def account(
    events: list[str],
    epsilon: float | None,
    delta: float | None,
    adjacency: str,
    bound: str,
    group: int,
    accuracy: float,
    trade_off: int,
) -> str: ...
def smallest_noise(event: str, epsilon: float, delta: float, adjacency: str, bound: str, others: list[str]) -> str: ...
def largest_count(event: str, epsilon: float, delta: float, adjacency: str, bound: str, others: list[str]) -> str: ...
def privatize(
    data: object,
    columns: str,
    epsilon: float | None,
    delta: float | None,
    rho: float | None,
    out: str,
    inputs: list[str],
    keep_order: bool,
    overwrite: bool,
) -> list[str]: ...
def density(
    data: object,
    channel_file: str | None,
    columns: list[str],
    lower: float,
    upper: float,
    settings: dict[str, Any],
    inputs: list[str],
    compare: str | None,
    against: str | None,
    out: str,
) -> None: ...
def ledger(files: list[str]) -> str: ...
def format_known(number: float, error: float) -> str: ...
def run(
    directory: str,
) -> tuple[list[str], list[npt.NDArray[np.float64]], list[dict[str, npt.NDArray[np.float64]]]]: ...
