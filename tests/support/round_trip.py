"""Compare a PyTorchJob with the PyTorchJob that trainc compiles it to, by the pods that the operator creates of both.

The pods are those of the operator's model in the plan, which shares no code with readers; PyYAML reads both jobs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml

from tests.support.operator_pods import expand
from trainc.driver import run
from trainc.span import Source
from trainc.systems.pytorchjob.model import operator_output
from trainc.systems.pytorchjob.model.defaults import apply_defaults
from trainc.target import Target

Object = dict[str, Any]
Facts = dict[str, str]


def load_jobs(text: str) -> list[Object]:
    """Return the PyTorchJobs of a text, also those in AppWrappers."""
    return [job for document in yaml.safe_load_all(text) for job in _jobs(document or {})]


def _jobs(document: Object) -> Iterator[Object]:
    if document.get("kind") == "AppWrapper":
        for component in document["spec"]["components"]:
            inner = component["template"]
            labels = {**document["metadata"].get("labels", {}), **inner["metadata"].get("labels", {})}
            yield {**inner, "metadata": {**inner["metadata"], **({"labels": labels} if labels else {})}}
    elif document.get("kind") == "PyTorchJob":
        yield document


def is_rejected(resource: Object) -> bool:
    """Return whether the operator rejects a job."""
    return bool(operator_output(resource, []).errors)


def compile_jobs(text: str) -> list[Object]:
    """Return the PyTorchJobs that trainc compiles a text to."""
    outcome = run([Source("job.yaml", text)], Target(backend="pytorchjob"))
    assert outcome.ok, [diagnostic.message for diagnostic in outcome.diagnostics if diagnostic.severity == "error"]
    objects = [manifest.data() for job in outcome.jobs for manifest in job.manifests()]
    return [resource for resource in objects if resource["kind"] == "PyTorchJob"]


class IntendedDifference(NamedTuple):
    """Facts that differ on purpose: a pattern for `PATH: ORIGINAL → COMPILED`, and the reason."""

    name: str
    pattern: str
    reason: str


INTENDED = (
    IntendedDifference(
        "trainc's labels",
        r"(pods/\d+/)?metadata/labels/(trainc\.dev|app\.kubernetes\.io)/.*",
        "trainc adds its labels",
    ),
    IntendedDifference(
        "pod labels",
        r"pods/\d+/metadata/(labels|annotations)/.*: None → .*",
        "pods get the job's labels and annotations",
    ),
    IntendedDifference(
        "shutdown timeout",
        r".*/torchrun/shutdown_timeout: None → .*",
        "torchrun waits for its processes as long as the pod's grace period lets it",
    ),
    IntendedDifference(
        "run policy",
        r"runPolicy/(backoffLimit|cleanPodPolicy): None → .*",
        "failures have a limit, and running pods are deleted when the job ends",
    ),
    IntendedDifference(
        "port",
        r"pods/\d+/containers/\w+/"
        r"(ports/\d+|env/(PET_)?MASTER_PORT|env/PET_RDZV_ENDPOINT|torchrun/(master_port|rdzv_endpoint)): .*",
        "the rendezvous uses trainc's default port, not the operator's",
    ),
    IntendedDifference(
        "rendezvous",
        r"(elasticPolicy/|.*/torchrun/)rdzv_?(id|conf|Id|Conf).*: None → .*|.*/env/PET_RDZV_(ID|CONF): None → .*"
        r"|.*/TORCH_DISABLE_SHARE_RDZV_TCP_STORE: .*",
        "each run has a rendezvous id and longer timeouts; elastic jobs do not share the rendezvous store",
    ),
    IntendedDifference(
        "processes",
        r"nprocPerNode: .*|.*/PET_NPROC_PER_NODE: auto → .*|.*/env/WORLD_SIZE: .*",
        "nprocPerNode is a number; torchrun sets WORLD_SIZE of its processes",
    ),
    IntendedDifference(
        "elastic policy",
        r"elasticPolicy/.*: .* → None|.*/env/PET_NNODES: \d+:\d+ → \d+",
        "equal bounds, and bounds that the launcher's own number of nodes overrides, become a fixed number of workers",
    ),
    IntendedDifference(
        "autoscaler", r"HorizontalPodAutoscaler/.*: .* → None", "an autoscaler that can measure nothing is left out"
    ),
    IntendedDifference(
        "service account token",
        r"pods/\d+/automountServiceAccountToken: None → False",
        "pods of a job that names no service account don't mount the token of the default one",
    ),
    IntendedDifference("affinity", r"pods/0/affinity/.*: None → .*", "the Master becomes one of the workers"),
)


def differences(original: Object, compiled: Object) -> list[str]:
    """Return the paths of all facts that differ, each with both values."""
    original_facts, compiled_facts = facts(original), facts(compiled)
    return [
        f"{name}: {original_facts.get(name)} → {compiled_facts.get(name)}"
        for name in sorted({*original_facts, *compiled_facts})
        if original_facts.get(name) != compiled_facts.get(name)
    ]


def intended_difference(difference: str) -> str | None:
    """Return the name of an intended difference, None for a fault."""
    return next((row.name for row in INTENDED if re.fullmatch(row.pattern, difference, re.DOTALL)), None)


def facts(resource: Object) -> Facts:
    """Return what the operator creates of a job, and how it runs it, as paths with values."""
    resource = {**resource, "metadata": {key: value for key, value in resource["metadata"].items() if key != "uid"}}
    output = operator_output(resource, [])
    assert not output.errors, output.errors
    job = apply_defaults(resource)
    spec = resource["spec"]
    policy = {"cleanPodPolicy": "None", **spec.get("runPolicy", {})}
    policy = {name: value for name, value in policy.items() if value is not False}  # the default of suspend
    tree: dict[str, Any] = {
        "metadata": {key: resource["metadata"].get(key) for key in ("labels", "annotations", "namespace")},
        "runPolicy": policy,
        "roles": {name: [role["replicas"], role["restartPolicy"]] for name, role in job.roles.items()},
        "nprocPerNode": job.processes,
        "elasticPolicy": {**(job.policy or {}), "bounds": list(job.bounds)} if job.policy is not None else None,
    }
    pods = [resource for resource in output.objects if resource["kind"] == "Pod"]
    tree["pods"] = {str(number): _pod(pod) for number, pod in enumerate(pods)}
    for kind in ("HorizontalPodAutoscaler", "PodGroup"):
        specs = [resource.get("spec") for resource in output.objects if resource["kind"] == kind]
        tree[kind] = specs[0] if specs else None
    return dict(_flat(tree, ""))


def _pod(pod: Object) -> Object:
    spec = dict(pod["spec"])
    volumes = spec.pop("volumes", [])
    sources = {volume["name"]: {**volume, "name": None} for volume in volumes}
    metadata = {key: pod["metadata"].get(key) for key in ("name", "labels", "annotations")}
    containers = {
        kind: {container["name"]: _container(container, sources) for container in spec.pop(kind, [])}
        for kind in ("containers", "initContainers")
    }
    return {"metadata": metadata, **containers, **spec}


def _container(container: Object, sources: Object) -> Object:
    env: dict[str, str] = {}
    for variable in container.get("env", []):
        value = variable.get("value", "") if "valueFrom" not in variable else repr(variable["valueFrom"])
        env[variable["name"]] = expand(str(value), env)
    arguments = [expand(str(argument), env) for argument in [*container.get("command", []), *container.get("args", [])]]
    mounts = {
        f"{mount['mountPath'].rstrip('/')}:{mount.get('subPath', '')}": {
            "readOnly": mount.get("readOnly", False),
            "volume": sources.get(mount["name"]),
        }
        for mount in container.get("volumeMounts", [])
    }
    resources = container.get("resources", {})
    limits = resources.get("limits") or {}
    resources = {"limits": limits, "requests": {**limits, **(resources.get("requests") or {})}}
    rest = {
        key: value
        for key, value in container.items()
        if key not in ("env", "command", "args", "volumeMounts", "resources", "name", "createdBy")
    }
    ports = {str(port["containerPort"]): port.get("name") for port in rest.pop("ports", [])}
    gpus = max((int(count) for name, count in limits.items() if name.endswith("/gpu")), default=0)
    program = {**_program(arguments, env, gpus), "env": env, "mounts": mounts, "resources": resources, "ports": ports}
    return {**program, **rest}


def _program(arguments: list[str], env: dict[str, str], gpus: int) -> Object:
    """Return the program; of torchrun the options and PET_ variables, which are removed from the environment."""
    if arguments[:1] in (["python"], ["python3"]):
        arguments = ["python", *arguments[2 if arguments[1:2] == ["-u"] else 1 :]]  # the operator sets PYTHONUNBUFFERED
    if arguments[:3] == ["python", "-m", "torch.distributed.run"]:
        arguments = arguments[2:]
    elif not arguments or arguments[0].rpartition("/")[2] != "torchrun":
        env.setdefault("PET_RDZV_BACKEND", "static")  # torchrun's default, should there be one
        return {"arguments": " ".join(arguments)}
    options = {name.removeprefix("PET_").lower(): env.pop(name) for name in list(env) if name.startswith("PET_")}
    rest = arguments[1:]
    while rest and rest[0].startswith("--"):
        name, equals, value = rest.pop(0).removeprefix("--").partition("=")
        options[name.replace("-", "_")] = value if equals else rest.pop(0)
    options = {"rdzv_backend": "static", "max_restarts": "0", **options}
    low, _, high = options["nnodes"].partition(":")
    options["nnodes"] = low if high == low else options["nnodes"]
    if options.get("nproc_per_node") in ("auto", "gpu") and gpus:
        options["nproc_per_node"] = str(gpus)
    return {"arguments": " ".join(rest), "torchrun": options}


def _flat(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(inner, f"{path}/{key}" if path else str(key))
    elif isinstance(value, list) and value and all(isinstance(item, dict | list) for item in value):
        for number, item in enumerate(value):
            yield from _flat(item, f"{path}/{number}")
    elif value not in (None, [], ""):
        yield path, str(value)
