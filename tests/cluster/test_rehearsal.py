"""What a rehearsal gives a pod is what the API server's pod has after the controllers made it."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.cluster.api import Api, Object
from tests.cluster.cluster import wait
from tests.cluster.goldens import objects
from tests.support.examples import golden
from tests.support.operated import seen
from trainc.rehearse.events import PodState, RehearsalError
from trainc.rehearse.session import Session

# A job of each kind of launcher and controller; the programs needn't be here, for what they are given is compared.
CASES = (
    *(("torchrun", backend) for backend in ("pods", "job", "statefulset")),
    *(("torchrun-static", "job"), ("basic", "job"), ("env", "job"), ("storage", "statefulset")),
    *(("deepspeed", "job"), ("deepspeed-ssh", "statefulset")),
)
SECONDS = 60
UID = re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
# What the kubelet and the runtime give every container.
EVERYWHERE = re.compile(r"HOME|HOSTNAME|PATH|PWD|KUBERNETES_.*")
# What only the cluster knows, as `seen` leaves it: an address, a Secret's content.
ELSEWHERE = "{'"
Facts = tuple[str, dict[str, str], list[str]]


def of_server(pod: Object) -> tuple[Facts, set[str]]:
    """A pod's hostname, variables and command line; and the variables whose values only a running pod has."""
    env, argv = seen(pod, pod["spec"]["containers"][0])
    unknown = {name for name, value in env.items() if ELSEWHERE in value}
    hostname = pod["spec"].get("hostname") or pod["metadata"]["name"]
    return (
        hostname,
        {name: _plain(env[name]) for name in env.keys() - unknown},
        [_plain(one) for one in argv],
    ), unknown


def of_rehearsal(pod: PodState, unknown: set[str]) -> Facts:
    """The same of a rehearsed pod."""
    env = {name: _plain(value) for name, value in pod.env.items() if name not in unknown}
    own = {name: value for name, value in env.items() if not EVERYWHERE.fullmatch(name)}
    return pod.hostname, own, [_plain(one) for one in pod.argv]


def _plain(value: str) -> str:
    return UID.sub("‹uid›", value)


def rehearsed(given: list[Object], **how: Any) -> list[PodState]:
    """The pods of a rehearsal when all of them have been started."""
    try:
        with Session(given, **how) as session:
            session.start()
            done: list[PodState] = []
            for _ in session.events(SECONDS):
                done = [one for one in session.pods if not one.server]
                if done and all(one.argv for one in done):
                    break
            return done
    except RehearsalError as problem:
        pytest.skip(f"no rehearsal here: {problem}")


@pytest.mark.usefixtures("nodes")
@pytest.mark.parametrize(("example", "backend"), CASES)
def test_a_rehearsed_pod_starts_like_the_api_servers_pod(api: Api, namespace: str, example: str, backend: str) -> None:
    given = objects(golden(example, backend), namespace)
    mine = sorted(rehearsed(given), key=lambda one: one.index)
    assert mine
    for one in given:
        api.apply(one)
    theirs = wait(f"{len(mine)} pods", lambda: _pods(api, namespace, len(mine)))
    for pod, ours in zip(theirs, mine, strict=True):
        expected, unknown = of_server(pod)
        assert of_rehearsal(ours, unknown) == expected


def _pods(api: Api, namespace: str, count: int) -> list[Object] | None:
    """The workers in the order of their numbers, when all are there."""
    found = [pod for pod in api.find("Pod", namespace) if pod["metadata"]["labels"].get("trainc.dev/role") == "worker"]
    return sorted(found, key=_number) if len(found) == count else None


def _number(pod: Object) -> int:
    hostname = pod["spec"].get("hostname") or pod["metadata"]["name"]
    return int(hostname.rpartition("-")[2])
