"""A rehearsed pod starts like the pod that real controllers create."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.cluster.api import Api, Object
from tests.cluster.cluster import wait
from tests.cluster.goldens import objects
from tests.support.examples import golden
from tests.support.operator_pods import env_and_arguments
from trainc.rehearse.events import PodState, RehearsalError
from trainc.rehearse.session import Session

# A job of each launcher and controller. Only the start is compared, so the programs may be missing.
CASES = (
    *(("torchrun", backend) for backend in ("pods", "job", "statefulset")),
    *(("torchrun-static", "job"), ("basic", "job"), ("env", "job"), ("storage", "statefulset")),
    *(("deepspeed", "job"), ("deepspeed-ssh", "statefulset")),
)
SECONDS = 60
UID = re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
# Variables that the kubelet and the runtime set in every container.
EVERY_CONTAINER = re.compile(r"HOME|HOSTNAME|PATH|PWD|KUBERNETES_.*")
# Start of a value that only the cluster knows, as `env_and_arguments` returns it: an address, a Secret's content.
UNKNOWN = "{'"
Start = tuple[str, dict[str, str], list[str]]


def server_start(pod: Object) -> tuple[Start, set[str]]:
    """Return hostname, environment and command line of the server's pod, and variables without a known value."""
    env, argv = env_and_arguments(pod, pod["spec"]["containers"][0])
    unknown = {name for name, value in env.items() if UNKNOWN in value}
    hostname = pod["spec"].get("hostname") or pod["metadata"]["name"]
    return (
        hostname,
        {name: _plain(env[name]) for name in env.keys() - unknown},
        [_plain(argument) for argument in argv],
    ), unknown


def rehearsed_start(pod: PodState, unknown: set[str]) -> Start:
    """Return hostname, environment and command line of a rehearsed pod."""
    env = {name: _plain(value) for name, value in pod.env.items() if name not in unknown}
    own = {name: value for name, value in env.items() if not EVERY_CONTAINER.fullmatch(name)}
    return pod.hostname, own, [_plain(argument) for argument in pod.argv]


def _plain(value: str) -> str:
    return UID.sub("‹uid›", value)


def rehearse_pods(manifests: list[Object], **options: Any) -> list[PodState]:
    """Return the pods of a rehearsal once all have started."""
    try:
        with Session(manifests, **options) as session:
            session.start()
            pods: list[PodState] = []
            for _ in session.events(SECONDS):
                pods = [pod for pod in session.pods if not pod.server]
                if pods and all(pod.argv for pod in pods):
                    break
            return pods
    except RehearsalError as problem:
        pytest.skip(f"no rehearsal on this machine: {problem}")


@pytest.mark.usefixtures("nodes")
@pytest.mark.parametrize(("example", "backend"), CASES)
def test_a_rehearsed_pod_starts_like_the_api_servers_pod(api: Api, namespace: str, example: str, backend: str) -> None:
    manifests = objects(golden(example, backend), namespace)
    rehearsed_pods = sorted(rehearse_pods(manifests), key=lambda pod: pod.index)
    assert rehearsed_pods
    for manifest in manifests:
        api.apply(manifest)
    count = len(rehearsed_pods)
    pods = wait(f"{count} pods", lambda: _pods(api, namespace, count))
    for pod, rehearsed_pod in zip(pods, rehearsed_pods, strict=True):
        expected, unknown = server_start(pod)
        assert rehearsed_start(rehearsed_pod, unknown) == expected


def _pods(api: Api, namespace: str, count: int) -> list[Object] | None:
    """Return the workers by index once all exist."""
    pods = [pod for pod in api.find("Pod", namespace) if pod["metadata"]["labels"].get("trainc.dev/role") == "worker"]
    return sorted(pods, key=_number) if len(pods) == count else None


def _number(pod: Object) -> int:
    hostname = pod["spec"].get("hostname") or pod["metadata"]["name"]
    return int(hostname.rpartition("-")[2])
