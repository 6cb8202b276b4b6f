"""Values as TOML, which schemas and settings are handed to the library as."""

import json
import numbers
from collections.abc import Mapping, Sequence
from typing import Any

from sotto.errors import UsageError


def text_of(value: Any) -> str:
    """The value as it stands to the right of ``key =``; a mapping as an inline table.

    >>> text_of({"family": "normal", "scale": 1, "x.1": [True, 0.5]})
    '{"family" = "normal", "scale" = 1, "x.1" = [true, 0.5]}'
    """
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # JSON's escapes are TOML's too
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{text_of(str(key))} = {text_of(item)}" for key, item in value.items()) + "}"
    if isinstance(value, Sequence):
        return "[" + ", ".join(text_of(item) for item in value) + "]"
    raise UsageError(f"a setting must be text, a number, true or false, a list or a dict, not {type(value).__name__}")
