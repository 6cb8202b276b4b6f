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

def check(data: object, schema: Schema) -> str: ...
def fit(data: object, schema: Schema, settings: list[str], inputs: list[str], overwrite: bool) -> None: ...
def run(
    directory: str,
) -> tuple[list[str], list[npt.NDArray[np.float64]], list[dict[str, npt.NDArray[np.float64]]]]: ...
