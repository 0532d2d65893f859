"""Process model of a Ray cluster that trainc's script starts, seen with Ray 2.60.0."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from trainc.commandline.word import parse_count
from trainc.launchers.ports import host_and_port
from trainc.launchers.ray.options import PORT, START_TIMEOUT
from trainc.launchers.ray.traits import ADDRESS, TRAITS
from trainc.plan.expand import placeholder
from trainc.plan.failures import LOST_POD, FailureCase, duration
from trainc.plan.launch import LaunchCommand, WorkerLaunch, argument_names
from trainc.plan.quantity import format_bytes
from trainc.plan.world import Worker, WorldSize, count_pods

_NAMES = ["rank", "own_address", "nnodes", "seconds", "port"]
_DIGITS = 20  # of a number of bytes
_RESOURCES = {"num-cpus": "CPU {}", "num-gpus": "GPU {}", "object-store-memory": "object store {}"}


def recognize(command: LaunchCommand) -> WorkerLaunch | None:
    """Return the launch of trainc's script, or of `ray start` by an operator, with its options; None for others."""
    if command.pod.start_command:
        return _operated(command)
    argv = list(command.container.argv)
    script = next((at for at, word in enumerate(argv) if argument_names(word) == _NAMES), None)
    if script is None:
        return None
    words = argv[script + 1 :]
    head, end = (words.index(word) if word in words else -1 for word in ("--head", "--"))
    address = next((word.partition("=")[2] for word in words if word.startswith("--address=")), "")
    if not 5 <= head < end or not address:
        return None
    low, _, high = words[2].partition(":")
    fewest, most, index = parse_count(low), parse_count(high or low), parse_count(words[0])
    return _launch(words[5:head], tuple(words[end + 1 :]), address, index == 0).replace(
        nodes=None if fewest is None or most is None else (fewest, most),
        node_rank=index,
        join_timeout=parse_count(words[3]) or START_TIMEOUT,
        options=_options(words[5:end]),
    )


def _operated(command: LaunchCommand) -> WorkerLaunch | None:
    """Return the launch of an operator's pod: `ray start OPTION... -- WORD...` with the head's address on all pods."""
    words = list(command.pod.start_command)
    if words[:2] != ["ray", "start"] or "--" not in words:
        return None
    end, is_head = words.index("--"), "--head" in words
    count = sum(pods for started, pods in command.surroundings.started.items() if started[:2] == ("ray", "start"))
    launch = _launch(words[2:end], tuple(words[end + 1 :]), _options(words[2:end]).get("address", ""), is_head)
    return launch.replace(nodes=(count, count), node_rank=0 if is_head else command.pod.index)


def _launch(options: Sequence[str], program: tuple[str, ...], address: str, is_head: bool) -> WorkerLaunch:
    """Return the launch of a node with these options of `ray start`, in a cluster with the head at an address."""
    host, port = host_and_port(address, PORT)
    return WorkerLaunch(
        launcher=TRAITS.name,
        label=TRAITS.name,
        role="head, program" if is_head else "ray start --address",
        program=program,
        processes_source="started by the program through Ray",
        rendezvous_host=host,
        port=port,
        needs_gpu_per_process=False,
        details=(("each node", ", ".join(_resources(options))),),
        options=_options(options),
    )


def _options(words: Sequence[str]) -> dict[str, str]:
    """Return the values of options `--name=value` by their names, empty for a switch."""
    pairs = (word[2:].partition("=") for word in words if word.startswith("--"))
    return {name: value for name, _, value in pairs}


def _resources(words: Sequence[str]) -> Iterator[str]:
    """Yield what Ray schedules on a node."""
    values = _options(words)
    if "num-cpus" not in values:
        yield "the node's CPUs"
    for name, text in _RESOURCES.items():
        if name in values:
            value = values[name]
            is_size = name == "object-store-memory" and value.isdecimal() and len(value) < _DIGITS
            yield text.format(format_bytes(Fraction(value)) if is_size else value)


def process_env(worker: Worker, workers: Sequence[Worker], size: WorldSize) -> dict[str, str]:
    """Return the variable of the program; Ray's processes have those that the program gives them."""
    return {ADDRESS: f"{placeholder(f'address of {worker.launch.rendezvous_host}')}:{worker.launch.port}"}


def failure_cases(workers: Sequence[Worker]) -> Iterator[FailureCase]:
    """Yield what follows the failure of the program and the loss of a worker, or of worker 0."""
    launch = workers[0].launch
    pods = count_pods(each for each in workers if not each.pod.on_scale_up)
    if workers[0].pod.start_command:  # the operator's model knows them
        return
    yield FailureCase("the program fails", "all workers exit with its exit code")
    if len(workers) < 2 or launch.nodes is None:
        return
    few = f"fewer than {launch.nodes[0]} workers join within {duration(launch.join_timeout)}"
    yield FailureCase(few, "the program does not start: the workers exit with 1")
    if pods > 1:
        lost = "Ray removes its node: tasks run again on the others, and the program sees its actors as dead"
        yield FailureCase(LOST_POD, f"{lost}; a replacement joins the running cluster")
    head = next((each.pod.hostname for each in workers if each.node_rank == 0), "worker 0")
    yield FailureCase(f"{head} fails", "it runs the head and the program: all other workers exit with 1")
