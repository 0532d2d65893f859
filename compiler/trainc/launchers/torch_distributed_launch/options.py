"""Options of `python -m torch.distributed.launch`: those of torchrun, and --use_env.

https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/launch.py
"""

from __future__ import annotations

from trainc.commandline.argparse import Table
from trainc.launchers import option
from trainc.launchers.option import Option
from trainc.launchers.torchrun.options import OPTIONS


def grammar() -> Table:
    """Return torchrun's options and --use_env."""
    return option.grammar((*OPTIONS, Option(name="use_env", kind="switch")), dashes=True)
