"""Translation of elastic torchrun commands: https://docs.pytorch.org/docs/stable/elastic/run.html

The backend static waits for the most nodes of --nnodes (its world size is `max_nodes`): create_rdzv_handler of
https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/elastic/rendezvous/static_tcp_rendezvous.py
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.launch_commands import read_command
from trainc.source.node import plain

SETTINGS = ("spec.image=train:1", "spec.resources.gpu=4")
# Options of torchrun → the port of the rendezvous, and the code of what is wrong with the command as it runs now.
STATIC = {
    "": (None, "TC3064"),
    "--rdzv_backend=static --node_rank=0 --master_addr=h --master_port=1234": (1234, "TC3004"),
    "--node_rank=0 --master_addr=h --master_port=1234": (1234, "TC3004"),
    "--master_addr=h": (None, "TC3004"),
    "--rdzv_endpoint=h:1234": (1234, "TC3004"),
    "--master_addr=$H --master_port=$P": (None, "TC3004"),
}


@pytest.mark.parametrize("options", STATIC)
def test_an_elastic_job_has_a_rendezvous_that_starts_with_fewer_nodes(options: str) -> None:
    port, code = STATIC[options]
    script = read_command(["torchrun", "--nnodes=1:4", *options.split(), "train.py"], *SETTINGS)
    assert script.job is not None
    job: dict[str, Any] = plain(script.job)["spec"]
    assert job["launch"]["torchrun"].get("rendezvous", {}) == ({"port": port} if port else {})
    message = "the rendezvous backend is c10d: static waits for 4 nodes, and never for fewer"
    assert [each.message for each in script.diagnostics].count(message) == 1
    assert [fault.code.id for fault in script.faults] == [code]


@pytest.mark.parametrize("options", ["--nnodes=4 --node_rank=0 --master_addr=h", "--nnodes=1:4 --rdzv_backend=c10d"])
def test_other_backends_stay(options: str) -> None:
    script = read_command(["torchrun", *options.split(), "train.py"], *SETTINGS)
    assert not [each for each in script.diagnostics if "backend is c10d" in each.message]
