"""Behavior of torchrun, and of its predecessor torchelastic, whose versions differ.

https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/run.py, https://pypi.org/project/torchelastic/
"""

from __future__ import annotations

import re

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

# The version of torchelastic that reads no PET_ variables.
WITHOUT_VARIABLES = "0.2.0"
# Variables of the processes that 0.2.1 added to torchelastic/agent/server/local_elastic_agent.py, beside ROLE_RANK and
# ROLE_WORLD_SIZE.
NEW_VARIABLES = ("ROLE_NAME", "TORCHELASTIC_RUN_ID")
# Options of torchrun that torchelastic 0.2.0 lacks, with their first version.
SINCE = {"role": "0.2.1", "log_dir": "0.2.2", "redirects": "0.2.2", "tee": "0.2.2"}


def torchelastic_version(image: str) -> str | None:
    """Return the version in an image's name like `torchelastic/examples:0.2.0`; None if the name states none."""
    match = re.search(r"torchelastic(?:(?:(?!torchelastic)[^@])*[:-])?v?(0\.[0-9]+\.[0-9]+)(?![0-9.])", image)
    return match and match[1]


def reads_variables(image: str) -> bool:
    """Return whether the torchelastic of an image reads PET_ variables, as 0.2.1 and newer do."""
    return torchelastic_version(image) != WITHOUT_VARIABLES
