"""What goes wrong, as exceptions that say where and what would be right."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mistake:
    """One thing that is wrong with a scenario."""

    file: str  #: empty: it is of a value that was set
    line: int  #: from 1; 0 of a value that was set
    column: int  #: from 1; 0 of a value that was set
    key: str  #: the path of the key, such as "algorithm.eta"; empty: it is of the whole
    text: str
    remedy: str  #: what would be right; empty: the text says it


class OverhearError(Exception):
    """The command failed: `code` is 1 if a run failed, 2 for bad usage, 3 for a verdict."""

    def __init__(self, text: str, code: int = 1) -> None:
        super().__init__(text)
        self.code = code


class ScenarioError(OverhearError):
    """A scenario has mistakes: all of them, and the first one's place as attributes."""

    def __init__(self, text: str, mistakes: list[Mistake]) -> None:
        super().__init__(text, 2)
        self.mistakes = mistakes
        first = mistakes[0]
        self.file, self.line, self.column = first.file, first.line, first.column
        self.key, self.remedy = first.key, first.remedy


class Interrupted(KeyboardInterrupt):
    """Ctrl-C stopped the command cleanly; the text says what is kept."""


class Note(UserWarning):
    """What the command notes while it works."""
