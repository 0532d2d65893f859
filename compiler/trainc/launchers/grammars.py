"""Options of launchers for the argv parser: of their packages, and of the launchers without one."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from trainc.commandline.argparse import Table
from trainc.launchers import option
from trainc.launchers.registry import STARTED_BY_PROGRAMS, part


@cache
def grammar(name: str) -> Table:
    """Return the options of a launcher for the argv parser."""
    if name in STARTED_BY_PROGRAMS:
        return _GRAMMARS[name]()
    options = part(name, "options")
    table: Table = options.grammar() if hasattr(options, "grammar") else option.grammar(options.OPTIONS)
    return table


def _torch_distributed_launch() -> Table:
    """https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/launch.py"""
    options = part("torchrun", "options").OPTIONS
    return option.grammar((*options, option.Option(name="use_env", kind="switch")), dashes=True)


def _torchelastic() -> Table:
    options = part("torchrun", "options")
    return option.grammar(row for row in options.OPTIONS if row.name in options.TORCHELASTIC_OPTIONS)


_GRAMMARS: dict[str, Callable[[], Table]] = {
    "torch.distributed.launch": _torch_distributed_launch,
    "torchelastic": _torchelastic,
    "deepspeed.launcher.launch": lambda: part("deepspeed", "options").node_grammar(),
    "ray job": lambda: Table(options={}),  # `submit` and its options count as the program
}
