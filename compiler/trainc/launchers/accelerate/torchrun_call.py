"""Call of torchrun that `accelerate launch` makes in its own process, with the options that it computes.

launch_command and _validate_launch_command of
https://github.com/huggingface/accelerate/blob/v1.15.0/src/accelerate/commands/launch.py, and prepare_multi_gpu_env of
https://github.com/huggingface/accelerate/blob/v1.15.0/src/accelerate/utils/launch.py
"""

from __future__ import annotations

from trainc.commandline.argparse import ParsedOption
from trainc.commandline.word import UNKNOWN, Word, parse_count
from trainc.launchers.accelerate.options import NAME
from trainc.launchers.find_launchers import Call
from trainc.launchers.ports import MASTER_PORT
from trainc.launchers.registry import grammar
from trainc.record import Record

# Switches that select a way to train; of these, those with torchrun.
_MODES = ("multi_gpu", "cpu", "tpu", "use_deepspeed", "use_fsdp")
WITH_TORCHRUN = ("multi_gpu", "use_fsdp", "use_megatron_lm")
# Options of torchrun that accelerate has, too, with its defaults, which override the PET_ variables.
_SAME = {"rdzv_backend": "static", "rdzv_conf": "", "max_restarts": "0", "monitor_interval": "0.1", "role": "default"}
_SWITCHES = ("module", "no_python")


class TorchrunCall(Record):
    """Call of torchrun, variables that accelerate sets for the processes, and why it exits before."""

    call: Call
    env: dict[str, str]
    errors: tuple[str, ...]


def torchrun_call(call: Call, gpus: int | None) -> TorchrunCall | None:
    """Return the call on a pod with this number of GPUs; None if accelerate starts one process of Python itself.

    What a configuration file may set is unknown.
    """
    settings = _Settings(call, gpus)
    if not settings.uses_torchrun:
        return None
    options = {name: settings.word(name, default) for name, default in _SAME.items()}
    options |= settings.world()
    switches = {name: call.parsed.options[name] for name in _SWITCHES if name in call.parsed.options}
    parsed = {name: ParsedOption(flag=call.name, value=value) for name, value in options.items()} | switches
    env = {"ACCELERATE_MIXED_PRECISION": settings.word("mixed_precision", "no").text.lower()}
    if "use_fsdp" in call.parsed.options:
        env["ACCELERATE_USE_FSDP"] = "true"
    return TorchrunCall(
        call=call.replace(launcher="torchrun", grammar=grammar("torchrun"), parsed=call.parsed.replace(options=parsed)),
        env=env,
        errors=tuple(settings.errors()),
    )


class _Settings:
    def __init__(self, call: Call, gpus: int | None) -> None:
        self._call, self._gpus = call, gpus
        self._options = call.parsed.options
        self._has_file = "config_file" in self._options
        self._machines = self.count("num_machines", 1)
        self._processes = self.count("num_processes", gpus)

    @property
    def uses_torchrun(self) -> bool:
        """Return whether accelerate starts torchrun: by a switch, by a file, or for several GPUs."""
        if "cpu" in self._options or "tpu" in self._options or "use_deepspeed" in self._options:
            return False
        is_set = any(name in self._options for name in WITH_TORCHRUN)
        has_gpus = self._gpus is not None and self._gpus > 1 and (self._processes or 0) > 1
        return is_set or self._has_file or has_gpus

    def count(self, name: str, default: int | None) -> int | None:
        """Return the number of an option; None if it is unknown."""
        option = self._options.get(name)
        if option is None:
            return None if self._has_file else default
        return parse_count(option.text)

    def word(self, name: str, default: str) -> Word:
        """Return the value of an option."""
        option = self._options.get(name)
        return option.value if option is not None and option.value is not None else Word(text=default)

    def world(self) -> dict[str, Word]:
        """Return the numbers of nodes and processes, the rank of the node, and the endpoint."""
        unknown = UNKNOWN if self._has_file else ""
        port = self.word("main_process_port", unknown or str(MASTER_PORT))
        if self._machines == 1:  # other options of torchrun are those of its PET_ variables
            return {"nproc_per_node": _number(self._processes), "master_port": port}
        processes = self._processes
        if processes is not None and self._machines is not None:
            processes = processes // self._machines
        options = {
            "nnodes": _number(self._machines),
            "nproc_per_node": _number(processes),
            "node_rank": self.word("machine_rank", unknown or "0"),
        }
        host = self.word("main_process_ip", unknown or "None")
        if "same_network" in self._options:
            return {**options, "master_addr": host, "master_port": port}
        return {**options, "rdzv_endpoint": host.replace(text=f"{host.text}:{port.text}")}

    def errors(self) -> list[str]:
        """Return why accelerate exits."""
        problems = []
        modes = [f"--{name}" for name in _MODES if name in self._options]
        if len(modes) > 1:
            problems.append(f"it accepts only one of {' and '.join(modes)}")
        if "multi_gpu" in self._options and "num_processes" in self._options and self._processes in (0, 1):
            problems.append("--multi_gpu requires at least 2 processes")
        if (self._machines or 1) > 1:
            if "machine_rank" not in self._options and not self._has_file:
                problems.append("--machine_rank is not set, and it reads no variable in its place")
            if self._processes is not None and self._machines is not None and self._processes < self._machines:
                problems.append(f"{self._processes} processes are fewer than {self._machines} machines")
        return [f"{NAME} exits: {problem}" for problem in problems]


def _number(count: int | None) -> Word:
    return Word(text=UNKNOWN if count is None else str(count))
