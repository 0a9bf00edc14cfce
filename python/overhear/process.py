"""The command simulate: where it is, and one call of it over pipes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import Interrupted, Mistake, Note, OverhearError, ScenarioError
from .progress import Progress

VERDICT = 3  # the exit code of a command that did all it was asked, and whose verdict is bad


def binary() -> str:
    """The path of simulate: $OVERHEAR_SIMULATE, the one in this package, or the one on PATH."""
    named = os.environ.get("OVERHEAR_SIMULATE")
    if named:
        if not os.access(named, os.X_OK):
            raise OverhearError(f"OVERHEAR_SIMULATE names {named}, which is no program that can be run", 2)
        return named
    inside = Path(__file__).with_name("simulate.exe" if os.name == "nt" else "simulate")
    if inside.exists():
        return str(inside)
    found = shutil.which("simulate")
    if found is None:
        raise OverhearError("there is no command simulate on PATH; name it in OVERHEAR_SIMULATE, or build it with "
                            "go install ./cmd/simulate", 2)
    return found


@dataclass
class Output:
    """What a call gave."""

    stdout: bytes
    written: list[Path]  # the directories of results, in order
    code: int


def call(*arguments: str) -> Output:
    """Run simulate, show its progress, and raise what goes wrong.

    A bad verdict is a result and no exception. Ctrl-C is passed on, and the command keeps what it has computed.
    """
    written: list[Path] = []
    error: OverhearError | None = None
    notes: list[str] = []
    # A session of its own: a terminal's Ctrl-C reaches it through this process only, once.
    with tempfile.TemporaryFile() as out, Progress() as progress, subprocess.Popen(
            [binary(), *arguments, "--events"], stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE,
            encoding="utf-8", errors="replace", start_new_session=True) as process:
        assert process.stderr is not None
        interrupted = False
        while True:
            try:
                line = process.stderr.readline()
                if not line:
                    process.wait()
                    break
                told = _event(line)
                if told is None:
                    notes.append(line.rstrip())
                elif "progress" in told:
                    p = told["progress"]
                    progress.at(p["name"], p["done"], p["total"])
                elif "written" in told:
                    written.append(Path(told["written"]))
                elif "error" in told:
                    error = _error(told["error"])
            except KeyboardInterrupt:
                process.send_signal(signal.SIGTERM if interrupted or os.name == "nt" else signal.SIGINT)
                interrupted = True
            except BaseException:
                process.kill()
                raise
        out.seek(0)
        stdout = out.read()
    code = process.returncode
    if interrupted:
        raise Interrupted(str(error or "stopped"))
    if code not in (0, VERDICT) or code == VERDICT and not stdout:
        raise error or OverhearError("\n".join(notes) or f"simulate ended with exit code {code}", code)
    for note in notes:
        warnings.warn(note, Note, stacklevel=_outside())
    return Output(stdout, written, code)


def _outside() -> int:
    """How far up the stack the caller of this package is, for warnings."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        frame, level = frame.f_back, level + 1
    return level


def _event(line: str) -> dict[str, Any] | None:
    if not line.startswith("{"):
        return None
    try:
        told = json.loads(line)
    except ValueError:
        return None
    return told if isinstance(told, dict) else None


def _error(told: dict[str, Any]) -> OverhearError:
    if told["mistakes"]:
        return ScenarioError(told["text"], [Mistake(**m) for m in told["mistakes"]])
    return OverhearError(told["text"], told["code"])
