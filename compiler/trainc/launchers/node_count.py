"""Numbers of nodes and of processes that the options of a program's own launcher set."""

from __future__ import annotations

from trainc.commandline.argparse import ParsedOption
from trainc.commandline.word import Word, parse_int
from trainc.launchers.find_launchers import Call
from trainc.record import Record

# Options of launchers with one number; torchrun's is nnodes, with one number or two.
OPTIONS = {"accelerate": "num_machines", "deepspeed": "num_nodes"}
# torchrun's is nproc_per_node; accelerate's number is that of all machines.
PROCESSES = {"accelerate": "num_processes", "deepspeed": "num_gpus"}


# Those with a process for each GPU by default; torchrun's is 1, which the job's variables change.
FOLLOW_GPUS = frozenset(PROCESSES)


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


def process_option(call: Call) -> ParsedOption | None:
    """Return the option with the number of processes."""
    return call.option(PROCESSES.get(call.launcher, "nproc_per_node"))


def processes_per_node(call: Call, nodes: int) -> int | str | None:
    """Return the processes on a node, or the text that stands for them; None if that is known only at run time.

    `nodes` is the number of nodes of accelerate without --num_machines.
    """
    option = process_option(call)
    count = (parse_int(option.value) or option.text) if option else None
    if call.launcher != "accelerate" or not isinstance(count, int):
        return count
    machines = call.option("num_machines")
    among = parse_int(machines.value) if machines else nodes
    return count // among if among and count % among == 0 else None
