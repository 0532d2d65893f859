"""Call of torchrun that `accelerate launch` makes in its own process, with the options that it computes.

launch_command and _validate_launch_command of
https://github.com/huggingface/accelerate/blob/v1.15.0/src/accelerate/commands/launch.py, prepare_multi_gpu_env and
prepare_deepspeed_cmd_env of https://github.com/huggingface/accelerate/blob/v1.15.0/src/accelerate/utils/launch.py
"""

from __future__ import annotations

from trainc.commandline.argparse import ParsedOption
from trainc.commandline.word import UNKNOWN, Word, parse_count
from trainc.diagnostics.finding import Finding
from trainc.launchers.accelerate.config_file import DEEPSPEED, FSDP, MEGATRON, MULTI_DEVICE
from trainc.launchers.accelerate.options import NAME
from trainc.launchers.find_launchers import Call
from trainc.launchers.grammars import grammar
from trainc.launchers.ports import MASTER_PORT
from trainc.record import Record

# Switches that select a way to train; of these, those with torchrun.
_MODES = ("multi_gpu", "cpu", "tpu", "use_deepspeed", "use_fsdp")
WITH_TORCHRUN = ("multi_gpu", "use_fsdp", "use_megatron_lm")
# Switches that a file's distributed_type stands for, unless one of these is an option.
_TYPES = {
    **dict.fromkeys(MULTI_DEVICE, "multi_gpu"),
    FSDP: "use_fsdp",
    DEEPSPEED: "use_deepspeed",
    MEGATRON: "use_megatron_lm",
    "XLA": "tpu",
}
# Options of torchrun that accelerate has, too, with its defaults, which override the PET_ variables and a file.
_SAME = {"rdzv_backend": "static", "rdzv_conf": "", "max_restarts": "0", "monitor_interval": "0.1", "role": "default"}
_SWITCHES = ("module", "no_python")
_STANDARD = "standard"  # the launcher of DeepSpeed that is torchrun
# Options that become variables of the processes.
_ENV = {
    "use_fsdp": {"fsdp_version": "FSDP_VERSION"},
    "use_deepspeed": {
        "zero_stage": "ACCELERATE_DEEPSPEED_ZERO_STAGE",
        "deepspeed_config_file": "ACCELERATE_DEEPSPEED_CONFIG_FILE",
    },
    "use_parallelism_config": {
        f"parallelism_config_{name}_size": f"PARALLELISM_CONFIG_{name.upper()}_SIZE"
        for name in ("dp_replicate", "dp_shard", "tp", "cp", "sp")
    },
}
_SECTIONS = {"use_fsdp": "fsdp_config", "use_deepspeed": "deepspeed_config"}
_SECTIONS["use_parallelism_config"] = "parallelism_config"
Config = dict[str, object]


class TorchrunCall(Record):
    """Call of torchrun, variables that accelerate sets for the processes, and why it exits before."""

    call: Call
    env: dict[str, str]
    errors: tuple[Finding, ...]


def torchrun_call(call: Call, gpus: int | None, config: Config | None = None) -> TorchrunCall | None:
    """Return the call on a pod with this number of GPUs; None if accelerate starts one process of Python itself.

    `config` is the content of the file of --config_file, or of the default one; None if it is unknown, and with it what
    it may set.
    """
    settings = _Settings(call, gpus, config)
    if not settings.uses_torchrun:
        return None
    options = {name: settings.word(name, default) for name, default in _SAME.items()}
    options |= settings.world()
    switches = {name: call.parsed.options[name] for name in _SWITCHES if name in call.parsed.options}
    parsed = {name: ParsedOption(flag=call.name, value=value) for name, value in options.items()} | switches
    return TorchrunCall(
        call=call.replace(launcher="torchrun", grammar=grammar("torchrun"), parsed=call.parsed.replace(options=parsed)),
        env=settings.process_env(),
        errors=tuple(settings.errors()),
    )


class _Settings:
    def __init__(self, call: Call, gpus: int | None, config: Config | None) -> None:
        self._call, self._gpus = call, gpus
        self._options = call.parsed.options
        self._has_file = "config_file" in self._options or config is not None
        self._config: Config = config or {}
        self._is_unknown = self._has_file and config is None
        self._modes = {name for name in (*_MODES, *WITH_TORCHRUN) if name in self._options}
        if self._modes.isdisjoint((*WITH_TORCHRUN, "tpu", "use_deepspeed")):
            self._modes |= {_TYPES.get(str(self._config.get("distributed_type")), "")}
            if self._config.get("parallelism_config"):
                self._modes.add("use_parallelism_config")
        if "use_parallelism_config" in self._options:
            self._modes.add("use_parallelism_config")
        self._machines = self.count("num_machines", 1)
        self._processes = self.count("num_processes", -1 if self._has_file else gpus)

    @property
    def uses_torchrun(self) -> bool:
        """Return whether accelerate starts torchrun: by a switch, by a file, or for several GPUs."""
        if "cpu" in self._modes or "tpu" in self._modes:
            return False
        if "use_deepspeed" in self._modes:
            return self._machines == 1 or self._nested("deepspeed_multinode_launcher", "use_deepspeed") == _STANDARD
        is_set = not self._modes.isdisjoint(WITH_TORCHRUN)
        has_gpus = self._gpus is not None and self._gpus > 1 and (self._processes or 0) > 1
        return is_set or self._is_unknown or (has_gpus and not self._has_file)

    def count(self, name: str, default: int | None) -> int | None:
        """Return the number of an option, else of the file; None if it is unknown."""
        option, value = self._options.get(name), self._config.get(name)
        if option is None:
            return None if self._is_unknown else default if value is None else parse_count(str(value))
        return parse_count(option.text)

    def word(self, name: str, default: str) -> Word:
        """Return the value of an option, else of the file, unless that is one that a file can't set."""
        option, value = self._options.get(name), self._config.get(name)
        if option is not None and option.value is not None:
            return option.value
        return Word(text=default if name in _SAME or value is None else str(value))

    def world(self) -> dict[str, Word]:
        """Return the numbers of nodes and processes, the rank of the node, and the endpoint."""
        unknown = UNKNOWN if self._is_unknown else ""
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

    def process_env(self) -> dict[str, str]:
        """Return the variables of the processes that say how they train."""
        unknown = UNKNOWN if self._is_unknown else "no"
        precision = "fp16" if self._config.get("fp16") else unknown  # a field of old files
        env = {"ACCELERATE_MIXED_PRECISION": self.word("mixed_precision", precision).text.lower()}
        if "debug" in self._options or self._config.get("debug"):
            env["ACCELERATE_DEBUG_MODE"] = "true"
        for mode, variables in _ENV.items():
            if mode in self._modes:
                env[f"ACCELERATE_{mode.upper()}"] = "true"
                values = {variable: self._nested(name, mode) for name, variable in variables.items()}
                env |= {variable: value for variable, value in values.items() if value}
        return env

    def _nested(self, name: str, mode: str) -> str:
        """Return the value of an option, else of the file's section, else the default."""
        section = self._config.get(_SECTIONS[mode])
        values: Config = section if isinstance(section, dict) else {}
        value = values.get(name, values.get(name.removeprefix("fsdp_")))
        default = "" if mode == "use_deepspeed" else "1"
        return self.word(name, default if value is None else str(value)).text

    def errors(self) -> list[Finding]:
        """Return why accelerate exits."""
        problems = []
        modes = [f"--{name}" for name in _MODES if name in self._options]
        if len(modes) > 1:
            problems.append(f"it accepts only one of {' and '.join(modes)}")
        if "multi_gpu" in self._options and "num_processes" in self._options and self._processes in (0, 1):
            problems.append("--multi_gpu requires at least 2 processes")
        if self._processes == -1:
            problems.append("neither the configuration file nor an option has num_processes")
        if (self._machines or 1) > 1:
            if "machine_rank" not in self._options and not self._has_file:
                problems.append("--machine_rank is not set, and it reads no variable in its place")
            if self._processes is not None and self._machines is not None and 0 <= self._processes < self._machines:
                problems.append(f"{self._processes} processes are fewer than {self._machines} machines")
        return [Finding(message=f"{NAME} exits: {problem}") for problem in problems]


def _number(count: int | None) -> Word:
    return Word(text=UNKNOWN if count is None else str(count))
