"""Fields of a job that have no effect if a runtime of the cluster has the pods: `scheduling.runtime`."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, error, no_effect, warning
from trainc.spec.section import inside
from trainc.systems.trainjob.facts import CLUSTER_RUNTIME, INITIALIZERS, POLICIES, WITH_PATCHES
from trainc.systems.trainjob.fields import FIELDS, POD, container_fields, is_at_least
from trainc.systems.trainjob.runtime_patch import unsupported_fields
from trainc.systems.trainjob.shipped import SHIPPED

TRIGGERS = ("scheduling",)

_SECTIONS = ("scheduling", "network", "lifecycle")
_HELP_INIT = ("wait in the program", Message("remove {scheduling.runtime}"))
_HELP = ("set it in the runtime", Message("remove {scheduling.runtime}"))
# First release that can express a field of the job file, by its path; of sections without a field here, any.
_EXPRESSED = {
    **dict.fromkeys(("launch", "elastic", "launcherPod", "podTemplate", *_SECTIONS), "2.1"),
    **dict.fromkeys(("scheduling.queue", "network.interface", "network.rdma", *FIELDS), "2.1"),
    **{job: first for first, fields in POD.values() for job in fields},
    "lifecycle.activeDeadlineSeconds": WITH_PATCHES[-1],
}


def check(context: RuleContext) -> Diagnostics:
    """Report fields that the runtime decides, and an elastic job: a runtime's policy has a fixed number of nodes."""
    runtime, spec = context.job.runtime, context.spec
    if runtime is None:
        return
    if context.job.replicas.elastic:
        message = f"the runtime `{runtime.name}` sets PET_NNODES to a fixed number of workers"
        help_ = (Message("remove {scheduling.runtime}"), "remove elastic")
        yield error(codes.UNSUPPORTED_BY_BACKEND, message, spec.node.where("elastic"), help=help_)
    yield from _policy(context)
    for path in _fields_without_effect(context):
        yield no_effect(context, path, _reason(context), _HELP)
    release = context.target.controller_version
    for name, where in unsupported_fields(context.job.pod.patch, release) if context.job.pod.patch else ():
        yield no_effect(context, f"spec.podTemplate.{name}", _reason(context), _HELP, where)
    yield from _additions(context)


def _fields_without_effect(context: RuleContext) -> Iterator[str]:
    """Yield the paths of fields that the runtime decides, without those that no TrainJob supports."""
    release, node = context.target.controller_version, context.spec.node
    for section in ("", *_SECTIONS):
        for name in (inside(node, section) if section else node).entries:
            path = f"{section}.{name}" if section else name
            is_expressed = path in _EXPRESSED and is_at_least(release, _EXPRESSED[path])
            if not is_expressed and context.system.supports(f"spec.{path}"):
                yield f"spec.{path}"


def _reason(context: RuleContext) -> str:
    assert context.job.runtime is not None
    release, name = context.target.controller_version, context.job.runtime.name
    return f"Trainer {release} can't change it in the runtime `{name}`"


def _policy(context: RuleContext) -> Diagnostics:
    """Report a shipped runtime for another program: trainc relies on the variables of PyTorch's policy.

    JAX's variables are those of launch.jax, and its policy counts one process per worker.
    """
    runtime = context.job.runtime
    assert runtime is not None
    shipped = SHIPPED.get(runtime.name) if runtime.kind == CLUSTER_RUNTIME else None
    if shipped is None:
        return
    spec = shipped["spec"]
    jobs = [job["name"] for job in spec["template"]["spec"]["replicatedJobs"]]
    launch, message, suitable = context.job.launch, "", "torch"
    policy = next(name for name in spec["mlPolicy"] if name != "numNodes")
    if launch.launcher.name in POLICIES:
        suitable = launch.launcher.name
        if policy == suitable and (count := launch.process_count or 1) > 1:
            message = f"the runtime `{runtime.name}` sets one process per worker, but the job has {count}"
            yield error(codes.UNSUPPORTED_BY_BACKEND, message, context.launch_key, help="remove `nprocPerNode`")
            return
    if policy not in ("torch", suitable):
        message = f"the runtime `{runtime.name}` has the policy `{policy}`, which sets no variables of "
        message += "PyTorch" if suitable == "torch" else suitable.upper()
    elif any(name in jobs for name in INITIALIZERS):
        message = f"the runtime `{runtime.name}` is for torchtune: its initializers load a model and a data set first"
    if message:
        help_, where = (
            f"use the runtime `{suitable}-distributed`, or remove it",
            context.spec.scheduling.where("runtime"),
        )
        yield error(codes.UNSUPPORTED_BY_BACKEND, message, where, help=help_)


def _additions(context: RuleContext) -> Diagnostics:
    """Report what trainc adds to pods of its own: init containers, and the capability for RDMA."""
    spec, release = context.spec, context.target.controller_version
    for step in context.job.pod.init_commands:
        is_folders = step.name == "folders"
        what = f"`{' '.join(step.command)}`" if is_folders else f"the init container `{step.name}`"
        message = f"{what} does not run before the program: Trainer adds no init container to the runtime's pods"
        help_ = (
            ("create the directory in the program", Message("remove {scheduling.runtime}"))
            if is_folders
            else _HELP_INIT
        )
        names = [name for name in ("save", "checkpoint", "shareFile", "launch") if name in spec.node.entries]
        where = spec.where("launch" if not is_folders else names[0])
        yield warning(codes.UNSUPPORTED_BY_BACKEND, message, where, help=help_)
    if spec.resources.claims:
        path, where = "spec.resources.claims", spec.resources.node.entries["claims"].key.span
        yield no_effect(context, path, _reason(context), _HELP, where)
    if spec.network and spec.network.rdma and "securityContext" not in container_fields(release):
        message = f"the capability IPC_LOCK for RDMA is not added: {_reason(context)}"
        where = inside(spec.node, "network").where("rdma")
        yield warning(codes.UNSUPPORTED_BY_BACKEND, message, where, help="add it in the runtime")
