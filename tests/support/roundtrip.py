"""A PyTorchJob and what trainc makes of it for the same operator, compared by what the operator makes of both.

What it makes is said by `trainc/plan/models.py`, which knows nothing of front ends; both are read by PyYAML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml

from trainc.driver import run
from trainc.span import Source
from trainc.systems.pytorchjob.model.defaults import apply_defaults
from trainc.systems.pytorchjob.model.pods import operator_output
from trainc.target import Target

Object = dict[str, Any]
Facts = dict[str, str]
_KUBELET = re.compile(r"\$\$|\$\((\S+?)\)")


def originals(text: str) -> list[Object]:
    """The PyTorchJobs of a text, out of Lists and AppWrappers."""
    found: list[Object] = []
    for document in yaml.safe_load_all(text):
        found += _inside(document or {})
    return found


def _inside(document: Object) -> Iterator[Object]:
    if document.get("kind") == "AppWrapper":
        for component in document["spec"]["components"]:
            inner = component["template"]
            labels = {**document["metadata"].get("labels", {}), **inner["metadata"].get("labels", {})}
            yield {**inner, "metadata": {**inner["metadata"], **({"labels": labels} if labels else {})}}
    elif document.get("kind") == "PyTorchJob":
        yield document


def is_refused(resource: Object) -> bool:
    """Whether the operator wouldn't take it."""
    return bool(operator_output(resource, []).errors)


def returned(text: str) -> list[Object]:
    """The PyTorchJobs that trainc compiles a text to."""
    outcome = run([Source("job.yaml", text)], Target(backend="pytorchjob"))
    assert outcome.ok, [one.message for one in outcome.diagnostics if one.severity == "error"]
    objects = [one.data() for compiled in outcome.jobs for one in compiled.manifests()]
    return [one for one in objects if one["kind"] == "PyTorchJob"]


class Meant(NamedTuple):
    """Facts that differ by intention: a pattern for `PATH: THEIRS → OURS`, and why."""

    name: str
    pattern: str
    why: str


MEANT = (
    Meant("own labels", r"(pods/\d+/)?metadata/labels/(trainc\.dev|app\.kubernetes\.io)/.*", "trainc's are added"),
    Meant("labels", r"pods/\d+/metadata/(labels|annotations)/.*: None → .*", "the job's are its pods', too"),
    Meant(
        "grace",
        r".*/torchrun/shutdown_timeout: None → .*",
        "torchrun waits for its processes as long as the pod's grace period lets it",
    ),
    Meant(
        "end",
        r"runPolicy/(backoffLimit|cleanPodPolicy): None → .*",
        "pods that run on when the job has ended go, and failures have a limit",
    ),
    Meant(
        "port",
        r"pods/\d+/containers/\w+/(ports/\d+|env/(PET_)?MASTER_PORT|torchrun/(master_port|rdzv_endpoint)): .*",
        "the workers meet at trainc's default port, not at the operator's",
    ),
    Meant(
        "rendezvous",
        r"(elasticPolicy/|.*/torchrun/)rdzv_?(id|conf|Id|Conf).*: None → .*|.*/TORCH_DISABLE_SHARE_RDZV_TCP_STORE: .*",
        "a run has a name and patience, and torch's shared store is off where workers come and go",
    ),
    Meant(
        "processes",
        r"nprocPerNode: .*|.*/PET_NPROC_PER_NODE: auto → .*|.*/env/WORLD_SIZE: .*",
        "a number stands where the options or auto said it; torchrun tells its processes a WORLD_SIZE of their own",
    ),
    Meant("fixed", r"elasticPolicy/.*: .* → None", "a policy whose bounds are equal is a number of workers"),
    Meant("alike", r"pods/0/affinity/.*: None → .*", "the Master is one of the workers"),
)


def differences(original: Object, ours: Object) -> list[str]:
    """Paths of all facts that are not the same of both, each with the two values."""
    left, right = facts(original), facts(ours)
    return [
        f"{name}: {left.get(name)} → {right.get(name)}"
        for name in sorted({*left, *right})
        if left.get(name) != right.get(name)
    ]


def meant(difference: str) -> str | None:
    """The name of the reason, None of a difference that is a fault."""
    return next((one.name for one in MEANT if re.fullmatch(one.pattern, difference, re.DOTALL)), None)


def facts(resource: Object) -> Facts:
    """All that the operator makes of a job, and what it does with it, as paths with values."""
    resource = {**resource, "metadata": {key: value for key, value in resource["metadata"].items() if key != "uid"}}
    all_made = operator_output(resource, [])
    assert not all_made.errors, all_made.errors
    job = apply_defaults(resource)
    spec = resource["spec"]
    policy = {"cleanPodPolicy": "None", **spec.get("runPolicy", {})}
    policy = {name: value for name, value in policy.items() if value is not False}  # the default of suspend
    found: dict[str, Any] = {
        "metadata": {key: resource["metadata"].get(key) for key in ("labels", "annotations", "namespace")},
        "runPolicy": policy,
        "roles": {name: [role["replicas"], role["restartPolicy"]] for name, role in job.roles.items()},
        "nprocPerNode": job.processes,
        "elasticPolicy": {**(job.policy or {}), "bounds": list(job.bounds)} if job.policy is not None else None,
    }
    pods = [one for one in all_made.objects if one["kind"] == "Pod"]
    found["pods"] = {str(number): _pod(pod) for number, pod in enumerate(pods)}
    for kind in ("HorizontalPodAutoscaler", "PodGroup"):
        found[kind] = next((one.get("spec") for one in all_made.objects if one["kind"] == kind), None)
    return dict(_flat(found, ""))


def _pod(pod: Object) -> Object:
    spec = dict(pod["spec"])
    volumes = spec.pop("volumes", [])
    sources = {one["name"]: {key: value for key, value in one.items() if key != "name"} for one in volumes}
    metadata = {key: pod["metadata"].get(key) for key in ("name", "labels", "annotations")}
    found = {"metadata": metadata}
    for kind in ("containers", "initContainers"):
        found[kind] = {one["name"]: _container(one, sources) for one in spec.pop(kind, [])}
    return {**found, **spec}


def _container(container: Object, sources: Object) -> Object:
    env: dict[str, str] = {}
    for variable in container.get("env", []):
        value = variable.get("value", "") if "valueFrom" not in variable else repr(variable["valueFrom"])
        env[variable["name"]] = _expanded(str(value), env)
    words = [_expanded(str(word), env) for word in [*container.get("command", []), *container.get("args", [])]]
    mounts = {
        f"{mount['mountPath'].rstrip('/')}:{mount.get('subPath', '')}": {
            "readOnly": mount.get("readOnly", False),
            "volume": sources.get(mount["name"]),
        }
        for mount in container.get("volumeMounts", [])
    }
    resources = container.get("resources", {})
    limits = resources.get("limits") or {}
    asked = {"limits": limits, "requests": {**limits, **(resources.get("requests") or {})}}
    rest = {
        key: value
        for key, value in container.items()
        if key not in ("env", "command", "args", "volumeMounts", "resources", "name", "createdBy")
    }
    ports = {str(port["containerPort"]): port.get("name") for port in rest.pop("ports", [])}
    gpus = max((int(count) for name, count in limits.items() if name.endswith("/gpu")), default=0)
    shown = {**_started(words, env, gpus), "env": env, "mounts": mounts, "resources": asked, "ports": ports}
    return {**shown, **rest}


def _started(words: list[str], env: dict[str, str], gpus: int) -> Object:
    """The program; of a torchrun what it is told, be it by options or by variables, which are then no others'."""
    if words[:1] in (["python"], ["python3"]):
        words = ["python", *words[2 if words[1:2] == ["-u"] else 1 :]]  # the operator sets PYTHONUNBUFFERED
    if words[:3] == ["python", "-m", "torch.distributed.run"]:
        words = words[2:]
    elif not words or words[0].rpartition("/")[2] != "torchrun":
        env.setdefault("PET_RDZV_BACKEND", "static")  # torchrun's default, should there be one
        return {"words": " ".join(words)}
    told = {name.removeprefix("PET_").lower(): env.pop(name) for name in list(env) if name.startswith("PET_")}
    rest = words[1:]
    while rest and rest[0].startswith("--"):
        name, equals, value = rest.pop(0).removeprefix("--").partition("=")
        told[name.replace("-", "_")] = value if equals else rest.pop(0)
    told = {"rdzv_backend": "static", "max_restarts": "0", **told}
    low, _, high = told["nnodes"].partition(":")
    told["nnodes"] = low if high == low else told["nnodes"]
    if told.get("nproc_per_node") in ("auto", "gpu") and gpus:
        told["nproc_per_node"] = str(gpus)
    return {"words": " ".join(rest), "torchrun": told}


def _expanded(text: str, env: dict[str, str]) -> str:
    return _KUBELET.sub(lambda m: "$" if m[0] == "$$" else env.get(m[1], m[0]), text)


def _flat(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(inner, f"{path}/{key}" if path else str(key))
    elif isinstance(value, list) and value and all(isinstance(item, dict | list) for item in value):
        for number, item in enumerate(value):
            yield from _flat(item, f"{path}/{number}")
    elif value not in (None, [], ""):
        yield path, str(value)
