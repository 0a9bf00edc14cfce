"""Simulate private distributed learning on a network, and measure what it gives away.

    import overhear
    runs = overhear.run("scenarios/quickstart.yaml", seeds=3, algorithm__eta=0.01)
    runs[0].metrics          # a DataFrame, or without pandas a numpy array of records

The work is done by the command `simulate`; this package drives it and reads what it writes.
"""

from .commands import attack, audit, report, reproduce, run, sweep
from .errors import Interrupted, Mistake, Note, OverhearError, ScenarioError
from .method import attacker, loss, method
from .results import Attacked, Audit, Page, Report, Run, Runs, Sweep

__all__ = [
    "Attacked", "Audit", "Interrupted", "Mistake", "Note", "OverhearError", "Page", "Report", "Run", "Runs",
    "ScenarioError", "Sweep", "attack", "attacker", "audit", "loss", "method", "report", "reproduce",
    "run", "sweep",
]
