"""How far a call is, told in the notebook whose cell made it."""

import importlib
import sys
from typing import Any


class NotebookLine:
    """One output of the cell that runs, written anew in its place. What fails to be displayed ends the line, never the call."""

    def __init__(self, display: Any) -> None:
        self._display = display
        self._handle: Any = None

    def show(self, text: str) -> None:
        """The line says ``text`` from now on."""
        try:
            if self._handle is None and self._display is not None:
                self._handle = self._display({"text/plain": text}, raw=True, display_id=True)
            elif self._handle is not None:
                self._handle.update({"text/plain": text}, raw=True)
        except Exception:
            self._display = self._handle = None

    def wipe(self) -> None:
        """The line is empty, if there was one."""
        if self._handle is not None:
            self.show("")


def notebook_line() -> NotebookLine | None:
    """None unless this runs in a kernel of Jupyter, whose standard error is no terminal that a line could be drawn on."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if getattr(shell, "kernel", None) is None:
        return None
    return NotebookLine(importlib.import_module("IPython.display").display)
