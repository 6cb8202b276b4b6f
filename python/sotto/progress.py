"""How far a call is, told in the notebook whose cell made it, or on the terminal."""

import importlib
import os
import sys
import termios
import threading
import tty
from typing import IO, Any


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


class TerminalLine:
    """The last line of a terminal, written anew in its place."""

    def __init__(self, terminal: IO[str]) -> None:
        self._terminal = terminal

    def show(self, text: str) -> None:
        """The line says ``text`` from now on."""
        self._terminal.write(f"\r\033[K{text}")
        self._terminal.flush()

    def wipe(self) -> None:
        """The line is empty."""
        self.show("")


def line_here() -> NotebookLine | TerminalLine | None:
    """Where progress is shown; None where nobody looks on."""
    if (line := notebook_line()) is not None:
        return line
    terminal = sys.stderr
    return TerminalLine(terminal) if terminal is not None and terminal.isatty() else None


class Overheard:
    """A program's standard error that it takes for a terminal: its sentences go into the file ``said``, its progress to ``line``."""

    def __init__(self, said: IO[bytes], line: NotebookLine | TerminalLine) -> None:
        self._said, self._line = said, line
        self._progress = self._shown = ""
        self._heard, end = os.openpty()
        tty.setraw(end)
        termios.tcsetwinsize(end, (24, 80))
        self.end: IO[bytes] = os.fdopen(end, "wb", buffering=0)
        """What the program is given."""
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        rest = b""
        while True:
            try:
                heard = os.read(self._heard, 4096)
            except OSError:  # nobody holds the other end
                heard = b""
            *before, rest = (rest + heard).split(b"\r\033[K")
            for text in (*before, *([] if heard else [rest])):
                if b"\n" in text:
                    self._said.write(text)
            if b"\n" in rest and heard:
                whole, rest = rest.rsplit(b"\n", 1)
                self._said.write(whole + b"\n")
            self._progress = rest.split(b"\r")[0].decode(errors="replace")
            if not heard:
                return

    def show(self) -> None:
        """The line says how far the program is. By the thread that called it, whose cell a notebook's line is in."""
        if self._progress and self._progress != self._shown:
            self._shown = self._progress
            self._line.show(self._shown)

    def finish(self) -> None:
        """After the program has ended: all that it said is in the file, and the line is wiped."""
        self.end.close()
        self._thread.join()
        self._said.flush()
        os.close(self._heard)
        if self._shown:
            self._line.wipe()
