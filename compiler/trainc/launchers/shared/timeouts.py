"""Default timeouts of PyTorch's collectives, after which a program without its peer fails.

https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/constants.py
"""

from __future__ import annotations

from typing import Final

COLLECTIVE_TIMEOUTS: Final = "by default 10 min with NCCL and 30 min with gloo"
PEERS_FAIL: Final = f"fail, too, at the latest at the timeout of their next collective ({COLLECTIVE_TIMEOUTS})"
