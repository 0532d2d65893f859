"""PyTorchJob of the training operator, v1.

https://github.com/kubeflow/training-operator/tree/release-1.9/pkg/controller.v1/pytorch; its defaults and the
variables that it sets are what "the same" means.
"""

from __future__ import annotations

from typing import Any

from trainc.source.node import Mapping, scalar_text
from trainc.systems.pytorchjob.reader.elastic import ElasticPolicy, translate_elastic_policy
from trainc.systems.pytorchjob.reader.hidden_torchrun import variables_for_hidden_torchrun
from trainc.systems.pytorchjob.reader.host_names import report_lost_host_names, report_lost_variables
from trainc.systems.pytorchjob.reader.injected_env import (
    INJECTED,
    PORT_NAME,
    custom_port,
    injected_env,
    processes_per_pod,
)
from trainc.systems.pytorchjob.reader.labels import translate_labels
from trainc.systems.pytorchjob.reader.roles import MergedRoles, merge_roles
from trainc.systems.shared.kubeflow.reader import translate_run_policy
from trainc.systems.shared.reader.assemble import assemble_job
from trainc.systems.shared.reader.command import TranslatedCommand, translate_command
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.injected_env import InjectedEnv
from trainc.systems.shared.reader.metadata import translate_metadata
from trainc.systems.shared.reader.placeholders import unfilled_image
from trainc.systems.shared.reader.pod import TranslatedPod, translate_pod
from trainc.systems.shared.reader.report import parse_count

CONTAINER = "pytorch"
SELECTING = ("affinity", "topologySpreadConstraints")


def translate(job: ForeignMapping) -> Mapping | None:
    """The job in our language, None where it can't be understood."""
    ours, queue = translate_metadata(job)
    spec = job.section("spec")
    found = merge_roles(spec, INJECTED["always"] + INJECTED["master"]) if spec is not None else None
    if spec is None or found is None:
        if not any(one.severity == "error" for one in job.report.diagnostics):
            job.report.add_error("a PyTorchJob has spec.pytorchReplicaSpecs", job.where("kind"))
        return None
    section = spec.section("elasticPolicy")
    injected = INJECTED["always"] + (INJECTED["master"] if found.master else ())
    injected += INJECTED["elastic"] if section is not None else ()
    main = translate_pod(found.template, (CONTAINER,), injected, PORT_NAME)
    if main is None:
        return None
    if scalar_text(main.container.node.get("name")) != CONTAINER:
        message = f"the operator refuses a job without a container named {CONTAINER}; the first is taken for it"
        job.report.add_change(message, main.container.where("name"))
    for inside, names in ((main.fields, ("env",)), (main.fields["scheduling"], SELECTING)):
        inside |= {name: translate_labels(inside[name], job.report) for name in names}
    name = scalar_text(ours.get("name"))
    own_port = custom_port(main)
    elastic = (
        translate_elastic_policy(section, found.workers, f"{name}-worker-0", main, own_port)
        if section is not None
        else None
    )
    if elastic is not None and not found.has_workers:
        job.report.add_error("an elastic policy needs a Worker", spec.where("elasticPolicy"))
    told = processes_per_pod(spec, elastic)
    around = injected_env(name, found, elastic, main, told, own_port)
    begun = translate_command(main, around, job.report)
    if elastic is not None and found.master:
        job.report.add_change("the Master is one of the workers: an elastic policy counts them all", found.where)
    total = elastic.minimum if elastic is not None else found.total
    policy = translate_run_policy(spec.section("runPolicy"), total, main.fields["scheduling"], queued=queue is not None)
    report_lost_host_names(name, begun, main.fields["env"], main.patch, job.report)
    report_lost_variables(injected, main.patch, job.report)
    alone = found.total == 1 and elastic is None
    hidden = variables_for_hidden_torchrun(begun, found.master, alone, told)
    begun = begun.replace(env={**begun.env, **hidden})
    fields = _fields(found, elastic, main, begun)
    unfilled = unfilled_image(fields["image"])
    job.report.diagnostics += [unfilled] if unfilled is not None else []
    fields["lifecycle"] = {**main.fields["lifecycle"], **policy.lifecycle, **found.lifecycle}
    fields["scheduling"] = {"queue": queue, **main.fields["scheduling"], **policy.scheduling}
    if fields["scheduling"].get("gang") and scalar_text(fields["scheduling"].get("schedulerName")) == "volcano":
        fields["scheduling"].pop("schedulerName")  # the gang's own
    fields["mode"] = "paused" if policy.paused else None
    if "basic" in begun.launch:
        fields["launch"] = {"basic": {**begun.launch["basic"], "port": own_port}}
    _processes_said(spec, around, begun)
    return assemble_job(ours, fields, job.node.span.first)


def _fields(
    found: MergedRoles, elastic: ElasticPolicy | None, main: TranslatedPod, begun: TranslatedCommand
) -> dict[str, Any]:
    kept = {name: value for name, value in main.fields.items() if name not in ("lifecycle", "scheduling")}
    return {
        **kept,
        "launch": begun.launch,
        "run": begun.run,
        "workers": found.worker_count() if found.total > 1 or (elastic is not None and elastic.elastic) else None,
        "elastic": elastic.elastic if elastic is not None else None,
        "env": main.env_with({**begun.env, **_unbuffered(begun)}),
        "sharedMemory": main.shared_memory(begun.launch),
        "podTemplate": main.patch,
    }


def _unbuffered(begun: TranslatedCommand) -> dict[str, str]:
    """The operator tells Python not to keep the logs back; trainc and torchrun do it by -u, where they start Python."""
    itself = "basic" in begun.launch or "WORLD_SIZE" in begun.env  # or scripts beside torchrun
    return {"PYTHONUNBUFFERED": "1"} if itself and not {"exec", "entrypoint"}.isdisjoint(begun.run) else {}


def _processes_said(spec: ForeignMapping, around: InjectedEnv, begun: TranslatedCommand) -> None:
    """What becomes of nprocPerNode beside other programs than torchrun: the operator multiplies WORLD_SIZE by it."""
    if (parse_count(scalar_text(spec.node.get("nprocPerNode"))) or 0) < 2:
        return
    where = spec.where("nprocPerNode")
    if "WORLD_SIZE" in begun.env:
        message = f"WORLD_SIZE, {begun.env['WORLD_SIZE']}, is written out: the workers times nprocPerNode, while RANK"
        spec.report.add_change(f"{message} counts the workers", where, help="change it with workers")
    elif "basic" in begun.launch and not around.sets_master_addr and "PET_NPROC_PER_NODE" not in begun.env:
        why = "only torchrun would read it, and no other program is told a number of processes"
        spec.report.add_dropped(spec.path_of("nprocPerNode"), where, why)
