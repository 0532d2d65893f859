"""Behavior of torchrun: https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/run.py"""

from trainc.launchers.registry import VARIABLE_PREFIXES
from trainc.launchers.traits import Traits

# Variables of the processes: local_elastic_agent.py of torch/distributed/elastic/agent/server
RUN_ID, MAX_RESTARTS = "TORCHELASTIC_RUN_ID", "TORCHELASTIC_MAX_RESTARTS"
PREFIX = VARIABLE_PREFIXES["torchrun"]
TRAITS = Traits(
    name="torchrun",
    command="torchrun",
    variable_prefix=PREFIX,
    run_id_variables=(f"{PREFIX}RDZV_ID", RUN_ID),
    restarts_variables=(f"{PREFIX}MAX_RESTARTS", MAX_RESTARTS),
    is_elastic=True,
    hides_exit_codes=True,
    modules=("torch",),
    shutdown_timeout=30,
    shutdown_variable=f"{PREFIX}SHUTDOWN_TIMEOUT",
)
