"""Options of the launchers without a package.

torch.distributed.launch, torchelastic, the launcher that `deepspeed` starts on each node, and `ray job`.
"""

from __future__ import annotations

from trainc.commandline.argparse import Table
from trainc.launchers import option, registry
from trainc.launchers.option import Option
from trainc.launchers.torchrun.options import OPTIONS, TORCHELASTIC_OPTIONS


def _torch_distributed_launch() -> Table:
    """https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/launch.py"""
    return option.grammar((*OPTIONS, Option(name="use_env", kind="switch")), dashes=True)


def _torchelastic() -> Table:
    return option.grammar(row for row in OPTIONS if row.name in TORCHELASTIC_OPTIONS)


def _deepspeed_node() -> Table:
    grammar: Table = registry.part("deepspeed", "options").node_grammar()
    return grammar


def _ray_job() -> Table:
    """`submit` and its options count as the program."""
    return Table(options={})


GRAMMARS = {
    "torch.distributed.launch": _torch_distributed_launch,
    "torchelastic": _torchelastic,
    "deepspeed.launcher.launch": _deepspeed_node,
    "ray job": _ray_job,
}
