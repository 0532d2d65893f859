"""The cost of a plan grows with the number of pods, not with its square."""

from __future__ import annotations

from unittest.mock import patch

from tests.support import build
from tests.support.executed_lines import executed_lines
from trainc.compiled import Compiled
from trainc.driver import run
from trainc.plan.launch import recognize_launch
from trainc.plan.name_resolver import NameResolver
from trainc.plan.plan import plan
from trainc.span import Source
from trainc.target import Target

SSH: dict[str, object] = {"mpirun": {"sshSecret": "ssh"}}


def compiled(workers: int, launch: dict[str, object]) -> Compiled:
    """Return a job whose Pods are objects of their own."""
    text = build.job_text(workers=workers, launch=launch, resources={"gpu": 1}, run={"python": ["/src/train.py"]})
    outcome = run([Source("job.yaml", text)], Target(backend="pods"))
    (job,) = outcome.jobs
    return job


def test_objects_are_collected_once_each() -> None:
    """Twice as many Pods cost twice as much, not four times."""

    def cost(workers: int) -> int:
        job = compiled(workers, {"torchrun": {}})
        job.manifests()  # rendered once
        return executed_lines(job.planned_manifests)

    few, more, many = (cost(workers) for workers in (40, 80, 160))
    assert many - more < 2.4 * (more - few)


def test_a_launch_is_recognized_without_a_look_at_the_other_pods() -> None:
    def cost(workers: int) -> int:
        objects = [each.data() for each in compiled(workers, {"torchrun": {}}).planned_manifests()]
        with patch("trainc.plan.split_pods.recognize_launch", wraps=recognize_launch) as recognized:
            plan(objects, every_pod=True)
        assert recognized.call_count == workers
        return executed_lines(recognize_launch, *recognized.call_args.args)

    cost(2)  # imports
    assert cost(160) < 1.1 * cost(40)


def test_a_host_of_a_hostfile_is_looked_up_in_one_pod_of_each_namespace() -> None:
    job = compiled(40, SSH)
    with patch.object(NameResolver, "lookup", autospec=True, side_effect=NameResolver.lookup) as lookup:
        plan([each.data() for each in job.planned_manifests()])
    assert lookup.call_count < 5 * 40  # of 1,600 pairs of a host and a pod
