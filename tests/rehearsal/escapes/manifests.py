"""Jobs whose paths and names lead out of their pods.

Each returns a job for the path of a canary directory on this machine. No job prints the canary's secret unless an
attack succeeds.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.rehearsal.run import config_map, container, job
from trainc.plan.fields import Object

UP = "../" * 20
# Prints the content of a volume, if it is the machine's.
SHOW = "cat /v/secret /v/canary/secret; ls -a /v; touch /v/created; echo x > /v/secret; true"


def volume(source: Object, script: str = "true", name: str = "v", **mount: object) -> list[Object]:
    """Return a job that mounts a volume at /v."""
    mounts = [{"name": name, "mountPath": "/v", **mount}]
    main = {"volumeMounts": mounts, "env": [{"name": "UP", "value": str(mount.get("up", ""))}]}
    contents = config_map("c", {"k": "created by a volume"})
    return job(script, main=main, pod={"volumes": [{"name": name, **source}]}, objects=[contents])


def planted(link: str, script: str = "true", **main: object) -> list[Object]:
    """Return a job whose init container creates a link at /v/link before its main container starts."""
    mounts = [{"name": "v", "mountPath": "/v"}]
    first = container(f"ln -s {link} /v/link; ls -la /v", name="plant", volumeMounts=mounts)
    pod = {"initContainers": [first], "volumes": [{"name": name, "emptyDir": {}} for name in "vw"]}
    return job(script, main={"volumeMounts": mounts, **main}, pod=pod)


def items(path: str) -> list[Object]:
    return [{"key": "k", "path": path}]


def labels(path: str) -> list[Object]:
    return [{"path": path, "fieldRef": {"fieldPath": "metadata.labels"}}]


def keys(key: str) -> list[Object]:
    manifests = volume({"configMap": {"name": "evil"}}, "ls -aR /v")
    return [*manifests, config_map("evil", {key: "created by a key"})]


def fifo(path: str) -> list[Object]:
    mounts = [{"name": "v", "mountPath": "/v"}]
    first = container("mkfifo /v/fifo", name="plant", volumeMounts=mounts)
    pod = {"initContainers": [first], "volumes": [{"name": "v", "emptyDir": {}}]}
    return job("true", main={"volumeMounts": mounts, "terminationMessagePath": path}, pod=pod)


CASES: dict[str, Callable[[str], list[Object]]] = {
    "config-map-item": lambda at: volume({"configMap": {"name": "c", "items": items(f"{UP}{at}/created")}}),
    "config-map-item-absolute": lambda at: volume({"configMap": {"name": "c", "items": items(f"{at}/created")}}),
    "config-map-item-over-a-file": lambda at: volume({"configMap": {"name": "c", "items": items(f"{UP}{at}/secret")}}),
    "secret-item": lambda at: volume({"secret": {"secretName": "s", "items": items(f"{UP}{at}/created")}}),
    "downward-item": lambda at: volume({"downwardAPI": {"items": labels(f"{UP}{at}/created")}}),
    "projected-item": lambda at: volume(
        {"projected": {"sources": [{"configMap": {"name": "c", "items": items(f"x/{UP}{at}/created")}}]}}
    ),
    "projected-token": lambda at: volume(
        {"projected": {"sources": [{"serviceAccountToken": {"path": f"{UP}{at}/created"}}]}}
    ),
    "config-map-key": lambda at: keys(f"{UP}{at}/created"),
    "sub-path": lambda at: volume({"emptyDir": {}}, SHOW, subPath=f"{UP}{at}"),
    "sub-path-absolute": lambda at: volume({"emptyDir": {}}, SHOW, subPath=at),
    "sub-path-expression": lambda at: volume({"emptyDir": {}}, SHOW, subPathExpr="$(UP)", up=f"{UP}{at}"),
    "sub-path-by-a-link": lambda at: planted(
        at, SHOW, volumeMounts=[{"name": "v", "mountPath": "/v", "subPath": "link"}]
    ),
    "host-path": lambda at: volume({"hostPath": {"path": at}}, SHOW),
    "host-path-with-dots": lambda at: volume({"hostPath": {"path": f"/x/{UP}{at}"}}, SHOW),
    "claim": lambda at: volume({"persistentVolumeClaim": {"claimName": f"{UP}{at}"}}, SHOW),
    "nfs": lambda at: volume({"nfs": {"server": UP, "path": at}}, SHOW),
    "volume-name": lambda at: volume({"emptyDir": {}}, SHOW, name=f"{UP}{at}"),
    "mount-path": lambda at: volume({"emptyDir": {}}, SHOW, mountPath=f"/{UP}{at}/created"),
    "mount-path-relative": lambda at: volume({"emptyDir": {}}, SHOW, mountPath=f"{UP}{at}/created"),
    "mount-path-by-a-link": lambda at: planted(
        at,
        volumeMounts=[{"name": "v", "mountPath": "/v"}, {"name": "w", "mountPath": "/v/link/created"}],
    ),
    "mount-path-by-proc": lambda at: volume({"emptyDir": {}}, SHOW, mountPath=f"/proc/self/cwd/{UP}{at}/created"),
    "container-name": lambda at: job("echo created", main={"name": f"{UP}{at}/created"}),
    "init-container-name": lambda at: job(
        pod={"initContainers": [container("echo created", name=f"../../{UP}{at}/created")]}
    ),
    "working-directory": lambda at: job("pwd", main={"workingDir": f"/{UP}{at}/created"}),
    "working-directory-relative": lambda at: job("pwd", main={"workingDir": f"{UP}{at}/created"}),
    "working-directory-by-a-link": lambda at: planted(at, workingDir="/v/link/created"),
    "working-directory-by-open-files": lambda at: job(f"cat {UP}{at}/secret", main={"workingDir": "/proc/self/fd/5"}),
    "termination-message": lambda at: job(main={"terminationMessagePath": f"/{UP}{at}/created"}),
    "termination-message-over-a-file": lambda at: job(
        "echo overwritten > $LOG",
        main={"terminationMessagePath": f"{UP}{at}/secret", "env": [{"name": "LOG", "value": f"{at}/secret"}]},
    ),
    "termination-message-by-a-link": lambda at: planted(f"{at}/secret", terminationMessagePath="/v/link"),
    "termination-message-in-a-link": lambda at: planted(at, terminationMessagePath="/v/link/created"),
    "termination-message-on-a-fifo": lambda _: fifo("/v/fifo"),
    "program": lambda at: job(main={"command": ["python3", f"{UP}{at}/created.py"]}),
    "program-module": lambda at: job(main={"command": ["python3", "-m", "package.train"]}),
    "service-account": lambda at: planted(
        at, volumeMounts=[{"name": "v", "mountPath": "/var/run/secrets/kubernetes.io"}]
    ),
    "pod-name": lambda at: [{**manifest, "metadata": {"name": f"{UP}{at}/created"}} for manifest in job()[1:]],
}
