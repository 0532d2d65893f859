"""Number of nodes that the options of a program's own launcher set."""

from __future__ import annotations

from trainc.commandline.argparse import ParsedOption
from trainc.commandline.word import Word, parse_int
from trainc.launchers.find_launchers import Call
from trainc.record import Record

# Options of launchers with one number; torchrun's is nnodes, with one number or two.
OPTIONS = {"accelerate": "num_machines", "deepspeed": "num_nodes"}


class NodeCount(Record):
    """Fewest and most nodes, and the option that sets them."""

    fewest: int
    most: int
    option: ParsedOption


def node_count(call: Call) -> NodeCount | None:
    """Return the number of nodes; None without the option, or if its value is known only at run time.

    https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/run.py, parse_min_max_nnodes
    """
    name = "nnodes" if call.grammar.variables else OPTIONS.get(call.launcher)
    option = call.option(name) if name else None
    if option is None:
        return None
    low, colon, high = (option.text or "").partition(":")
    fewest, most = (parse_int(Word(text=text)) for text in (low, high if colon else low))
    return None if fewest is None or most is None else NodeCount(fewest=fewest, most=most, option=option)
