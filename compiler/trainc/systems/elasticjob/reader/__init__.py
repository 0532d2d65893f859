"""Translate the ElasticJob of PyTorch's Torch Elastic operator: https://github.com/pytorch/elastic/tree/master/kubernetes"""

from __future__ import annotations

from typing import Any

from trainc.commandline.argparse import parse
from trainc.commandline.word import parse_count, words
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import error, warning
from trainc.launchers.node_count import NodeCount
from trainc.launchers.torchrun.options import COUNTED, grammar
from trainc.launchers.torchrun.traits import TORCHELASTIC, TRAITS, reads_variables, torchelastic_version
from trainc.source.node import Mapping, Scalar
from trainc.span import Text
from trainc.systems.elasticjob.facts import CONTAINER, INJECTED, SHIFTED
from trainc.systems.elasticjob.fields import FIELDS, ROLES, RUN_POLICY
from trainc.systems.shared.kubeflow.facts import RETRYABLE
from trainc.systems.shared.kubeflow.pod_metadata import report_pod_metadata
from trainc.systems.shared.kubeflow.reader import RESTART_POLICIES, lifecycle_fields
from trainc.systems.shared.reader.command import translate_command
from trainc.systems.shared.reader.etcd_server import managed_etcd
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.injected_env import InjectedEnv
from trainc.systems.shared.reader.job_document import assemble_from_pod, translate_metadata
from trainc.systems.shared.reader.pod import TranslatedPod, translate_pod
from trainc.systems.shared.reader.replicas import (
    WorkerBounds,
    elastic_fields,
    launcher_nodes,
    overridden_bounds,
    report_unreached_maximum,
)
from trainc.systems.shared.reader.report import TranslationReport
from trainc.systems.shared.reader.tree import child

NAMES = {job: field.path for job, field in FIELDS.items()}
# Cures other than to move a field into RunPolicy, where it has no effect, too, or crashes the operator.
# None: remove it.
_CURES = {"activeDeadlineSeconds": "set it in the pod template", "ttlSecondsAfterFinished": None}


def translate(document: ForeignMapping) -> Mapping | None:
    """Return the TrainingJob, or None if errors were reported."""
    metadata, queue = translate_metadata(document)
    spec = document.section("spec")
    worker = _worker(spec) if spec else None
    template = worker.section("template") if worker else None
    if spec is None or worker is None or template is None:
        if not document.report.failed:
            message = f"the job has no `spec.{ROLES}.Worker.template`"
            document.report.add_error(message, document.where("spec"))
        return None
    report_pod_metadata(document, template)
    main = translate_pod(template, (CONTAINER,), wrapper=SHIFTED)
    bounds = worker_bounds(spec, worker, launcher_nodes(main, TRAITS.command) if main is not None else None)
    endpoint = _endpoint(spec)
    lifecycle = translate_lifecycle(spec, worker, bounds is not None and bounds.elastic is not None)
    if main is None or endpoint is None or bounds is None:
        return None
    launch, run = _launch_and_run(main, endpoint, bounds, document.report)
    for sidecar in main.patch.get("spec", {}).get("containers", []):
        if isinstance(sidecar, Mapping):
            message = "this container does not get the launcher's arguments; the operator adds them to all containers"
            document.report.add_change(message, sidecar.span.first)
    fields: dict[str, Any] = {
        "launch": launch,
        "run": run,
        "workers": bounds.workers,
        "elastic": bounds.elastic,
        "lifecycle": lifecycle,
    }
    return assemble_from_pod(metadata, queue, main, fields, document.node.span)


def _worker(spec: ForeignMapping) -> ForeignMapping | None:
    roles = spec.section(ROLES)
    if roles is None:
        return None
    worker = roles.section("Worker")
    for name in roles.unconsumed() if worker is None else ():
        if name.lower() == "worker":
            message = f"the operator ignores `{roles.path_of(name)}`"
            roles.report.add_error(message, roles.where(name), expected="Worker")
    return worker


def _endpoint(spec: ForeignMapping) -> Text | None:
    name = FIELDS["launch.torchrun.rendezvous.endpoint"].name
    endpoint = spec.string(name)
    if name not in spec:
        message = f"`{spec.path_of(name)}` is missing"
        spec.report.add_error(message, spec.where(name), expected="etcd-service:2379")
    elif endpoint is not None and any(sign in endpoint for sign in "<>$"):
        message = f"unrendered template: `{endpoint}` in place of a value"
        expected = "host:port of an etcd, like etcd-service:2379"
        spec.report.diagnostics.append(error(codes.UNRENDERED_TEMPLATE, message, endpoint.span, expected=expected))
        return None
    return endpoint


def _launch_and_run(
    main: TranslatedPod, endpoint: Text, bounds: WorkerBounds, report: TranslationReport
) -> tuple[dict[str, Any], dict[Any, Any]]:
    """Return `launch` and `run`; the operator's arguments come before the user's, as with the operator itself."""
    if tuple(main.command) == SHIFTED or main.mode is not None:
        return _without_arguments(main, bounds)
    options = parse(grammar(), words(main.args)).options
    launcher: dict[str, Any] = {"rendezvous": {"backend": "etcd", "endpoint": endpoint}}
    image, is_entrypoint = str(main.container.string("image") or ""), not main.command
    is_torchelastic = is_entrypoint and torchelastic_version(image) is not None
    ignores_variables = is_torchelastic and not reads_variables(image)
    variables = {} if ignores_variables else main.literal_env()
    if variables.get("PET_STANDALONE") == "1":  # torchrun ignores the endpoint
        del launcher["rendezvous"]
    for name, field in (("nproc_per_node", "nprocPerNode"), ("max_restarts", "maxRestarts")):
        option = options[name].text if name in options else None
        value = option if field == "nprocPerNode" and option else variables.get(f"PET_{name.upper()}")
        count = parse_count(value or "")
        if count is not None or value in COUNTED:
            launcher[field] = value if count is None else count
    injected = InjectedEnv(
        minimum=bounds.minimum,
        maximum=bounds.maximum,
        elastic=True,
        gpus=main.gpu_count(),
        launcher_fields=launcher,
        starts_torchrun=True,
    )
    command = translate_command(main, injected)
    where = main.container.where("args" if "args" in main.container else "command")
    if "torchrun" not in command.launch:
        report.add_error("the container must run torchrun: the operator adds torchrun's arguments", where)
        return command.launch, command.run
    message = "each run has its own rendezvous id; the operator uses the job's name, with which a second run finds the "
    report.add_change(f"{message}rendezvous of the first one closed", endpoint.span, elsewhere=True)
    if bounds.elastic is not None and "max_restarts" not in options and not ignores_variables:
        message = "a lost worker costs a restart, and trainc allows 10; the operator leaves the number to torchrun"
        report.add_change(message, where, help="set launch.torchrun.maxRestarts")
    fields = command.launch["torchrun"]
    rendezvous = fields.get("rendezvous", {})
    managed = managed_etcd(endpoint, report) if rendezvous.get("endpoint") == endpoint else None
    if managed:
        backend = {name: rendezvous[name] for name in ("backend",) if name in rendezvous}
        fields["rendezvous"] = {**backend, Text("managed", endpoint.span): managed}
    if fields.get("wrap", True):
        return command.launch, command.run
    [(kind, line)] = command.run.items()
    if kind == "entrypoint":
        message = "the image's entrypoint must be torchrun, torch.distributed.run or torchelastic.distributed.launch"
        help_ = "set run.python and remove wrap: false if the image contains torchrun"
        report.add_change(message, where, help=help_)
        if is_torchelastic:
            image_span = main.container.where("image")
            command.launch["torchrun"] = {"wrap": False, Text("module", image_span): TORCHELASTIC, **fields}
    before = len(main.command)
    arguments = [Text(word, main.container.node.span.first) for word in INJECTED]
    return command.launch, {Text(kind, where): [*line[:before], *arguments, *line[before:]]}


def _without_arguments(main: TranslatedPod, bounds: WorkerBounds) -> tuple[dict[str, Any], dict[Any, Any]]:
    """Return `launch` and `run` of a command that drops the operator's arguments; the program is after it."""
    injected = InjectedEnv(
        minimum=bounds.minimum,
        maximum=bounds.maximum,
        gpus=main.gpu_count(),
        variables=main.literal_env(),
        configures_torchrun=False,
    )
    words = [*main.command, *main.args]
    program = words[len(SHIFTED) :] if main.mode is None else words
    command = translate_command(main.replace(command=program, args=[]), injected)
    return command.launch, command.run


def worker_bounds(spec: ForeignMapping, worker: ForeignMapping, own: NodeCount | None = None) -> WorkerBounds | None:
    """Return the bounds, which are `replicas` by default; the operator creates exactly `replicas` pods.

    `own` is the number of nodes in the launcher's own arguments, which follow the operator's.
    """
    replicas = worker.integer("replicas")
    if replicas is None:
        if "replicas" not in worker:  # the operator dereferences a nil pointer: controllers/util.go
            message = f"`{worker.path_of('replicas')}` is missing"
            worker.report.add_error(message, worker.node.span.first, expected="replicas: 2")
        return None
    low, high = spec.integer("minReplicas"), spec.integer("maxReplicas")
    minimum = low if low is not None else replicas
    maximum = high if high is not None else replicas
    minimum, maximum = overridden_bounds(spec, own, (minimum, maximum), replicas)
    workers = Scalar(replicas, str(replicas), worker.where("replicas"))
    if minimum == maximum == replicas:
        return WorkerBounds(minimum=minimum, maximum=maximum, workers=workers if replicas != 1 else None)
    where = spec.where("maxReplicas" if "maxReplicas" in spec else "minReplicas")
    elastic = elastic_fields(spec, minimum, maximum, span=where)  # the operator has no autoscaler
    report_unreached_maximum(spec, replicas, maximum)
    return WorkerBounds(minimum=minimum, maximum=maximum, workers=workers, elastic=elastic)


def translate_lifecycle(spec: ForeignMapping, worker: ForeignMapping, elastic: bool) -> dict[str, Any]:
    """Return the fields of the run policy and of the workers' restart policy.

    The CRD has the run policy's fields in the spec itself, but the operator reads them in `RunPolicy`:
    api/v1alpha1/elasticjob_types.go inlines the struct by a tag that Go's JSON honours for embedded structs only.
    """
    report, inner = spec.report, spec.section(RUN_POLICY)

    def section_of(name: str) -> ForeignMapping:
        return inner if inner is not None and name in inner else spec

    rows = {job: field for job, field in FIELDS.items() if field.section == f"spec.{RUN_POLICY}"}
    for field in rows.values():
        name = field.name
        if section_of(name) is spec and name in spec:
            message = f"`{name}` takes effect; the operator reads it in spec.{RUN_POLICY} only"
            report.add_change(message, spec.where(name))
            message = f"`{spec.path_of(name)}` has no effect: the operator reads it in spec.{RUN_POLICY} only"
            report.add_ignored(message, spec.where(name), _CURES.get(name, f"move it to `{field.path}`"))
    pod_deadline = child(worker.node, "template", "spec", "activeDeadlineSeconds")
    if inner is not None and "activeDeadlineSeconds" in inner and not pod_deadline:
        # PastActiveDeadline of pkg/controller.v1/common/job.go in kubeflow/common
        message = f"`{inner.path_of('activeDeadlineSeconds')}` has no effect: the operator never sets the time that it"
        report.add_ignored(
            f"{message} counts from", inner.where("activeDeadlineSeconds"), _CURES["activeDeadlineSeconds"]
        )
    fields: dict[str, Any] = {}
    for job, field in rows.items():
        fields |= lifecycle_fields(section_of(field.name), {job: field})
    if spec.consume("schedulingPolicy") is not None:
        why = "the operator does not schedule gangs"
        spec.drop("schedulingPolicy", why, "set scheduling.gang for gang scheduling")
        report.add_ignored(f"`{spec.path_of('schedulingPolicy')}` has no effect: {why}", spec.where("schedulingPolicy"))
    if elastic:
        where = spec.where("maxReplicas" if "maxReplicas" in spec else "minReplicas")
        report.add_change("the job ends with worker 0; the operator waits for all replicas", where, elsewhere=True)
    return fields | _restarts(worker, unlimited="backoffLimit" not in section_of("backoffLimit"))


def _restarts(worker: ForeignMapping, unlimited: bool) -> dict[str, Any]:
    report, policy = worker.report, worker.choice("restartPolicy", RESTART_POLICIES)
    where = worker.where("restartPolicy") if policy is not None else worker.node.span.first
    if policy is None and "restartPolicy" in worker:
        return {}  # an error was reported
    if policy == "Never":
        return {"restartPolicy": policy, "backoffLimit": 0}
    if unlimited:
        message = "trainc's default backoffLimit applies; the operator has no limit"
        report.add_change(message, where, elsewhere=policy == "ExitCode")  # with which it counts nothing
    if policy == "ExitCode":
        message = "any other exit code fails the job; with the operator the worker stays ended and the job waits"
        report.add_change(message, where, elsewhere=True)
        retryable = [Scalar(code, str(code), where) for code in RETRYABLE]
        return {Text("exitCodes", where): {"retryable": retryable}}
    if policy != "OnFailure":
        message = "a worker that succeeded is not restarted; with `Always` the job would never end"
        report.add_change(message, where)
        default = "" if policy == "Always" else ", the default,"
        message = f"the job never succeeds: with restartPolicy `Always`{default} a worker that succeeded is restarted"
        help_ = "set `restartPolicy: OnFailure` next to `template`"
        report.faults.append(warning(codes.RESTARTS_AFTER_COMPLETION, message, where, help=help_))
    return {"restartPolicy": Scalar("OnFailure", "OnFailure", where)}
