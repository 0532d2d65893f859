"""Behavior of torchrun: https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/run.py"""

from trainc.launchers.registry import VARIABLE_PREFIXES
from trainc.launchers.traits import Traits

PREFIX = VARIABLE_PREFIXES["torchrun"]
TRAITS = Traits(
    name="torchrun",
    command="torchrun",
    variable_prefix=PREFIX,
    run_id_variable=f"{PREFIX}RDZV_ID",
    restarts_variable=f"{PREFIX}MAX_RESTARTS",
    is_elastic=True,
    hides_exit_codes=True,
    modules=("torch",),
    shutdown_timeout=30,
    shutdown_variable=f"{PREFIX}SHUTDOWN_TIMEOUT",
)
