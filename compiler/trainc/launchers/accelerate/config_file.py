"""Content of a configuration file of accelerate.

https://github.com/huggingface/accelerate/blob/v1.15.0/src/accelerate/commands/config/config_args.py
"""

from __future__ import annotations

from collections.abc import Callable

DEFAULT_MACHINES = 1
# Types with which accelerate starts torchrun: _validate_launch_command and launch_command of
# https://github.com/huggingface/accelerate/blob/v1.15.0/src/accelerate/commands/launch.py
FSDP, DEEPSPEED, MEGATRON = "FSDP", "DEEPSPEED", "MEGATRON_LM"
MULTI_DEVICE = tuple(f"MULTI_{device}" for device in ("GPU", "NPU", "MLU", "SDAA", "MUSA", "XPU", "HPU", "NEURON"))
TYPES = ("NO", "MULTI_CPU", *MULTI_DEVICE, DEEPSPEED, FSDP, MEGATRON, "XLA", "TP")
KEYS = frozenset(
    (
        *("compute_environment", "distributed_type", "mixed_precision", "use_cpu", "debug", "num_processes"),
        *("machine_rank", "num_machines", "gpu_ids", "main_process_ip", "main_process_port", "rdzv_backend"),
        *("same_network", "main_training_function", "enable_cpu_affinity", "fp8_config", "deepspeed_config"),
        *("fsdp_config", "parallelism_config", "megatron_lm_config", "mpirun_config", "downcast_bf16", "tpu_name"),
        *("tpu_zone", "tpu_use_cluster", "tpu_use_sudo", "command_file", "commands", "tpu_vm", "tpu_env"),
        *("dynamo_config", "fp16", "dynamo_backend", "tp_config", "ipex_config"),
    )
)
LOCAL = "LOCAL_MACHINE"
# Fields that never take effect: the options' defaults are no None, and only a None is replaced by the file's value.
WITHOUT_EFFECT = {
    "rdzv_backend": "static",
    "same_network": "false",
    "enable_cpu_affinity": "false",
    "downcast_bf16": "false",
}


def default_path(variable: Callable[[str], str | None]) -> str:
    """Return the path of the file that accelerate reads unless an option names one, if it exists: default_config_file.

    `variable` returns the value of an environment variable.
    """
    cache = variable("XDG_CACHE_HOME") or f"{variable('HOME') or '/root'}/.cache"
    return f"{variable('HF_HOME') or f'{cache}/huggingface'}/accelerate/default_config.yaml"
