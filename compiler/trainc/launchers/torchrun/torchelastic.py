"""Versions of torchrun's predecessor torchelastic: https://pypi.org/project/torchelastic/

0.2.0 reads its options from the command line only; 0.2.1 and 0.2.2 read PET_ variables, too:
https://github.com/pytorch/elastic/blob/v0.2.0/torchelastic/distributed/launch.py
https://github.com/pytorch/elastic/blob/v0.2.1/torchelastic/distributed/argparse_util.py
"""

from __future__ import annotations

import re

WITHOUT_VARIABLES = "0.2.0"
# Variables of the processes that 0.2.1 added to torchelastic/agent/server/local_elastic_agent.py, beside ROLE_RANK and
# ROLE_WORLD_SIZE.
NEW_VARIABLES = ("ROLE_NAME", "TORCHELASTIC_RUN_ID")
# Options that 0.2.0 lacks, with their first version.
SINCE = {"role": "0.2.1", "log_dir": "0.2.2", "redirects": "0.2.2", "tee": "0.2.2"}


def torchelastic_version(image: str) -> str | None:
    """Return the version in an image's name like `torchelastic/examples:0.2.0`; None if the name states none."""
    match = re.search(r"torchelastic(?:(?:(?!torchelastic)[^@])*[:-])?v?(0\.[0-9]+\.[0-9]+)(?![0-9.])", image)
    return match and match[1]


def reads_variables(image: str) -> bool:
    """Return whether the torchelastic of an image reads PET_ variables, as 0.2.1 and newer do."""
    return torchelastic_version(image) != WITHOUT_VARIABLES
