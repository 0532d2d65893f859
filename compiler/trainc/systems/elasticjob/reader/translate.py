"""Translate the ElasticJob of PyTorch's Torch Elastic operator: https://github.com/pytorch/elastic/tree/master/kubernetes"""

from __future__ import annotations

from typing import Any

from trainc.commandline.argparse import parse
from trainc.commandline.word import words
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import error
from trainc.launchers.torchrun.options import grammar
from trainc.source.node import Mapping
from trainc.span import Span, Text
from trainc.systems.elasticjob.facts import CONTAINER, INJECTED
from trainc.systems.elasticjob.reader.etcd import managed_etcd
from trainc.systems.elasticjob.reader.run_policy import translate_lifecycle, worker_bounds
from trainc.systems.shared.reader.command import translate_command
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.injected_env import InjectedEnv
from trainc.systems.shared.reader.job_document import assemble_from_pod, translate_metadata
from trainc.systems.shared.reader.pod import TranslatedPod, translate_pod
from trainc.systems.shared.reader.report import TranslationReport, parse_count
from trainc.systems.shared.reader.scale import WorkerBounds


def translate(document: ForeignMapping) -> Mapping | None:
    """Return the TrainingJob, or None if errors were reported."""
    metadata, queue = translate_metadata(document)
    spec = document.section("spec")
    worker = _worker(spec) if spec else None
    template = worker.section("template") if worker else None
    if spec is None or worker is None or template is None:
        if not document.report.failed:
            message = "the job has no `spec.replicaSpecs.Worker.template`"
            document.report.add_error(message, document.where("spec"))
        return None
    main, bounds = translate_pod(template, (CONTAINER,)), worker_bounds(spec, worker)
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
    roles = spec.section("replicaSpecs")
    if roles is None:
        return None
    worker = roles.section("Worker")
    for name in roles.unconsumed() if worker is None else ():
        if name.lower() == "worker":
            message = f"the operator ignores `{roles.path_of(name)}`"
            roles.report.add_error(message, roles.where(name), expected="Worker")
    return worker


def _endpoint(spec: ForeignMapping) -> Text | None:
    endpoint = spec.string("rdzvEndpoint")
    if "rdzvEndpoint" not in spec:
        message = "`spec.rdzvEndpoint` is missing"
        spec.report.add_error(message, spec.where("rdzvEndpoint"), expected="etcd-service:2379")
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
    options = parse(grammar(), words(main.args)).options
    launcher: dict[str, Any] = {"rendezvous": {"backend": "etcd", "endpoint": endpoint}}
    processes = options["nproc_per_node"].value if "nproc_per_node" in options else None
    if processes is not None and parse_count(processes.text) is not None:
        launcher["nprocPerNode"] = int(processes.text)
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
    _report_differences(bounds.elastic is not None and "max_restarts" not in options, endpoint, where, report)
    fields = command.launch["torchrun"]
    rendezvous = fields.get("rendezvous", {})
    managed = managed_etcd(endpoint, report) if rendezvous.get("endpoint") == endpoint else None
    if managed:
        fields["rendezvous"] = {"backend": rendezvous["backend"], Text("managed", endpoint.span): managed}
    if fields.get("wrap", True):
        return command.launch, command.run
    [(kind, line)] = command.run.items()
    if kind == "entrypoint":
        message = "the image's entrypoint must be torchrun or python -m torch.distributed.run"
        help_ = "set run.python and remove wrap: false if the image contains torchrun"
        report.add_change(message, where, help=help_)
    before = len(main.command)
    arguments = [Text(word, main.container.node.span.first) for word in INJECTED]
    return command.launch, {Text(kind, where): [*line[:before], *arguments, *line[before:]]}


def _report_differences(default_restarts: bool, endpoint: Text, where: Span, report: TranslationReport) -> None:
    message = "each run has its own rendezvous id; the operator uses the job's name, with which a second run finds the "
    report.add_change(f"{message}rendezvous of the first one closed", endpoint.span)
    if default_restarts:
        message = "a lost worker costs a restart, and trainc allows 10; the operator leaves the number to torchrun"
        report.add_change(message, where, help="set launch.torchrun.maxRestarts")
