"""A progress bar: in a notebook a bar of the page, in a terminal a line of standard error, elsewhere none."""

from __future__ import annotations

import html
import sys
import time
from types import TracebackType
from typing import Any

PATIENCE = 1.0  # seconds that work takes before a bar is shown


class Progress:
    """Shows how far a command is, from when it has taken a second, and nothing once it is done."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._page: Any = None
        self._drawn = False
        self._notebook = _in_notebook()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        if self._page is not None:
            self._page.update({"text/plain": "", "text/html": ""}, raw=True)
        elif self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def at(self, name: str, done: int, total: int) -> None:
        """Say that so many steps of a total are done; −1: it is not known."""
        if time.monotonic() - self._start < PATIENCE:
            return
        text = f"{name} {done}" + (f" / {total}" if total > 0 else "")
        if self._notebook:
            from IPython.display import display
            value = f'value="{done}" max="{total}"' if total > 0 else ""
            shown = {"text/plain": text, "text/html": f"<progress {value}></progress> {html.escape(text)}"}
            if self._page is None:
                self._page = display(shown, raw=True, display_id=True)
            else:
                self._page.update(shown, raw=True)
        elif sys.stderr.isatty():
            width = 30
            full = width * done // total if total > 0 else 0
            sys.stderr.write(f"\r\x1b[K[{'█' * full}{' ' * (width - full)}] {text}")
            sys.stderr.flush()
            self._drawn = True


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")
