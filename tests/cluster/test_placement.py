"""The predicted placement equals that of kube-scheduler, for random jobs on 1,000 made-up nodes."""

from __future__ import annotations

import os
from functools import partial

import pytest

from tests.cluster.api import Api
from tests.cluster.binaries import UnavailableError, binaries
from tests.cluster.cluster import Cluster
from tests.cluster.conftest import _log, _unavailable
from tests.cluster.control_plane import control_plane
from tests.cluster.operators.session import Operators
from tests.cluster.placement import ADMISSION, CONTROLLERS, GATES, verdicts

COUNT, SEED = (
    int(os.environ.get(name, default)) for name, default in (("TRAINC_PLACEMENTS", "60"), ("TRAINC_SEED", "1"))
)
LEAST_EXACT = 0.85  # of the jobs; the pods of the others depend on which node the scheduler chooses first


def test_predicted_placement_equals_that_of_the_scheduler(
    pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> None:
    def log(text: str) -> None:
        _log(pytestconfig, text)

    try:
        programs, folder = binaries(log), tmp_path_factory.mktemp("placement")
    except UnavailableError as reason:
        _unavailable(pytestconfig, "control plane", reason)
    with control_plane(programs, folder, CONTROLLERS, GATES, ADMISSION) as plane:
        api = Api(plane.server)
        cluster = Cluster(api, plane.kubeconfig, programs.kubectl, plane)
        Operators(cluster, plane, log, partial(_unavailable, pytestconfig, "operator")).start("jobset")
        judged = list(verdicts(api, SEED, COUNT))
    exact = [each for each in judged if each.is_exact]
    wrong = [each for each in judged if not each.agrees]
    kinds = {name: sum(each.fit.verdict == name for each in judged) for name in ("fits", "depends", "lacks nodes")}
    log(f"{len(judged)} jobs (seed {SEED}): {kinds}, {len(exact)} with one number, {len(wrong)} predicted wrong")
    unlike = [each for each in judged if each.reasons and each.reasons != each.stated]
    log(f"{sum(bool(each.reasons) for each in judged)} fit no node, {len(unlike)} of them for other reasons")
    assert not wrong, "\n".join(map(str, wrong))
    assert not unlike, "\n".join(f"{each.reasons} {each.stated}: {each}" for each in unlike)
    assert len(exact) >= LEAST_EXACT * len(judged)
