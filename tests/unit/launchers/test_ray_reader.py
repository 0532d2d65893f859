"""Shell scripts that start a Ray cluster, as launch.ray."""

from __future__ import annotations

from typing import Any

import pytest

from trainc.commandline.word import words
from trainc.launchers.ray.reader import ClusterScript, read_cluster_script

SCRIPT = """\
if [ "$JOB_COMPLETION_INDEX" = "0" ]; then
  ray start --head {head}
  {program}
else
  sleep 10
  ray start --address=ray-0.ray:6379 {worker} --block
fi
"""


def read(text: str) -> ClusterScript | None:
    return read_cluster_script(words([text])[0])


def cluster(head: str = "", worker: str = "", program: str = "python train.py --lr 1") -> ClusterScript:
    script = read(SCRIPT.format(head=head, worker=worker, program=program))
    assert script is not None
    return script


@pytest.mark.parametrize(
    ("head", "worker", "fields"),
    [
        ("", "", {}),
        ("--port=6379 --num-gpus 8", "--num-gpus=8", {"port": 6379, "numGpus": 8}),
        ("--dashboard-host=0.0.0.0", "", {"dashboard": True}),
        ("--include-dashboard=false", "", {}),
        ("--object-store-memory 1000000000", "", {"objectStoreMemory": "1000000000"}),
        ("--no-monitor", "--labels a=b", {"headArgs": ["--no-monitor"], "workerArgs": ["--labels=a=b"]}),
    ],
)
def test_the_options_are_fields(head: str, worker: str, fields: dict[str, Any]) -> None:
    script = cluster(head, worker)
    assert (script.obstacle, script.fields) == ("", fields)
    assert [word.text for word in script.program] == ["python", "train.py", "--lr", "1"]


@pytest.mark.parametrize(
    "program",
    [
        "sleep 30\n  ray status\n  python train.py --lr 1",
        "until ray status | grep -q 2; do sleep 1; done; python train.py --lr 1",
        "ray job submit --address=http://localhost:8265 -- python train.py --lr 1",
    ],
)
def test_waits_and_the_submission_are_left_out(program: str) -> None:
    script = cluster(program=program.replace("| grep -q 2", ""))
    assert [word.text for word in script.program] == ["python", "train.py", "--lr", "1"]


@pytest.mark.parametrize(
    ("options", "obstacle"),
    [
        ({"program": "python a.py; python b.py"}, "it has not one program after `ray start --head`"),
        ({"program": "python a.py > log"}, "a shell prepares the program"),
        ({"program": "export A=1; python a.py"}, "a shell prepares the program"),
        ({"program": "ray job submit --working-dir . -- python a.py"}, "a shell prepares the program"),
        ({"program": "python a.py $MODEL"}, "only the running shell knows the program's arguments"),
        ({"head": "--num-gpus=$GPUS"}, "only the running shell knows `--num-gpus`"),
        ({"head": "--num-gpus=8", "worker": "--num-gpus=4"}, "no field expresses its `--num-gpus`"),
        ({"head": "--wide=1"}, "trainc does not know all options of `ray start`"),
        ({"worker": "--head"}, "it has not one `ray start` of the head and one of the others"),
    ],
)
def test_a_script_that_no_field_expresses_has_a_reason(options: dict[str, str], obstacle: str) -> None:
    assert cluster(**options).obstacle == obstacle


@pytest.mark.parametrize("text", ["python train.py", "echo ray start", "if ray start --head", "'ray start"])
def test_other_scripts_are_no_cluster(text: str) -> None:
    assert read(text) is None
