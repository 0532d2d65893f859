"""Diagnostics of jobs on the cluster that the option `--cluster` of a fixture or a page names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from trainc.cli.clusters import judged
from trainc.cluster.entry import Entry
from trainc.cluster.load import load_entry
from trainc.compiled import Input, Outcome

ROOT = Path(__file__).resolve().parents[2]
OPTION = "--cluster"


def on_cluster(outcome: Outcome, inputs: list[Input], options: Sequence[str]) -> Outcome:
    """Return the outcome with what keeps its jobs from running on the cluster of the options, if they name one."""
    entry = option_entry(options)
    return outcome if entry is None else judged(outcome, inputs, [entry for _ in outcome.jobs])


def option_entry(options: Sequence[str]) -> Entry | None:
    """Return the entry of the file that `--cluster` names, relative to the repository."""
    values = dict(zip(options[::2], options[1::2], strict=True))
    return load_entry(str(ROOT / values[OPTION])) if OPTION in values else None
