"""Behavior of torchrun: https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/run.py"""

from trainc.launchers.registry import VARIABLE_PREFIXES
from trainc.launchers.traits import Traits

# torchrun's predecessor: https://github.com/pytorch/elastic/blob/v0.2.2/torchelastic/distributed/launch.py
TORCHELASTIC = "torchelastic.distributed.launch"
# Variables of the processes: local_elastic_agent.py of torch/distributed/elastic/agent/server
RUN_ID, MAX_RESTARTS = "TORCHELASTIC_RUN_ID", "TORCHELASTIC_MAX_RESTARTS"
PREFIX = VARIABLE_PREFIXES["torchrun"]
TRAITS = Traits(
    name="torchrun",
    command="torchrun",
    variable_prefix=PREFIX,
    run_id_variables=(f"{PREFIX}RDZV_ID", RUN_ID),
    restarts_variables=(f"{PREFIX}MAX_RESTARTS", MAX_RESTARTS),
    # _start_workers of https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/elastic/agent/server/
    # local_elastic_agent.py
    process_variables=(
        *("RANK", "LOCAL_RANK", "GROUP_RANK", "ROLE_RANK", "ROLE_NAME", "MASTER_ADDR", "MASTER_PORT", RUN_ID),
        *("WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_WORLD_SIZE", "ROLE_WORLD_SIZE", MAX_RESTARTS),
        "TORCHELASTIC_RESTART_COUNT",
    ),
    is_elastic=True,
    hides_exit_codes=True,
    modules=("torch",),
    shutdown_timeout=30,
    shutdown_variable=f"{PREFIX}SHUTDOWN_TIMEOUT",
)
