"""The ElasticJob of PyTorch's Torch Elastic operator: https://github.com/pytorch/elastic/tree/master/kubernetes"""

from __future__ import annotations

from typing import Any

from trainc.commandline.argparse import parse
from trainc.commandline.word import words
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import error
from trainc.launchers.torchrun.options import grammar
from trainc.source.node import Mapping
from trainc.span import Span, Text
from trainc.systems.elasticjob.arguments import INJECTED
from trainc.systems.elasticjob.reader.etcd import managed_etcd
from trainc.systems.elasticjob.reader.lifecycle import translate_lifecycle
from trainc.systems.elasticjob.reader.workers import WorkerBounds, worker_bounds
from trainc.systems.shared.reader.assemble import assemble_job
from trainc.systems.shared.reader.command import translate_command
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.injected_env import InjectedEnv
from trainc.systems.shared.reader.metadata import translate_metadata
from trainc.systems.shared.reader.pod import TranslatedPod, translate_pod
from trainc.systems.shared.reader.report import TranslationReport

CONTAINER = "elasticjob-worker"


def translate(document: ForeignMapping) -> Mapping | None:
    """The job, None where there is none in it."""
    about, queue = translate_metadata(document)
    spec = document.section("spec")
    worker = _worker(spec) if spec else None
    template = worker.section("template") if worker else None
    if spec is None or worker is None or template is None:
        if not any(said.severity == "error" for said in document.report.diagnostics):
            document.report.add_error("the job has no `spec.replicaSpecs.Worker.template`", document.where("spec"))
        return None
    found, count = translate_pod(template, (CONTAINER,)), worker_bounds(spec, worker)
    endpoint = _endpoint(spec)
    ends = translate_lifecycle(spec, worker, count is not None and count.elastic)
    if found is None or endpoint is None or count is None:
        return None
    launch, run = _started(found, endpoint, count, document.report)
    _sidecars(found, document.report)
    fields = {
        **found.fields,
        "launch": launch,
        "run": run,
        **count.fields,
        "sharedMemory": found.shared_memory(launch),
        "scheduling": {"queue": queue, **found.fields["scheduling"]},
        "lifecycle": {**found.fields["lifecycle"], **ends},
        "podTemplate": found.patch,
    }
    return assemble_job(about, fields, document.node.span)


def _worker(spec: ForeignMapping) -> ForeignMapping | None:
    roles = spec.section("replicaSpecs")
    if roles is None:
        return None
    worker = roles.section("Worker")
    for name in roles.unconsumed() if worker is None else ():
        if name.lower() == "worker":
            roles.report.add_error(
                f"`{roles.path_of(name)}` is not read by the operator", roles.where(name), expected="Worker"
            )
    return worker


def _endpoint(spec: ForeignMapping) -> Text | None:
    endpoint = spec.string("rdzvEndpoint")
    if "rdzvEndpoint" not in spec:
        spec.report.add_error("`spec.rdzvEndpoint` is needed", spec.where("rdzvEndpoint"), expected="etcd-service:2379")
    elif endpoint is not None and any(sign in endpoint for sign in "<>$"):
        message = f"this is a template: `{endpoint}` stands where a value has to be"
        expected = "host:port of an etcd, like etcd-service:2379"
        spec.report.diagnostics.append(error(codes.UNRENDERED_TEMPLATE, message, endpoint.span, expected=expected))
        return None
    return endpoint


def _started(
    found: TranslatedPod, endpoint: Text, count: WorkerBounds, report: TranslationReport
) -> tuple[dict[str, Any], dict[Any, Any]]:
    """What the operator tells the launcher goes before the arguments, as with the operator itself."""
    given = parse(grammar(), words(found.args)).options
    told: dict[str, Any] = {"rendezvous": {"backend": "etcd", "endpoint": endpoint}}
    processes = given["nproc_per_node"].value if "nproc_per_node" in given else None
    if processes is not None and processes.text.isdecimal() and len(processes.text) < 9:
        told["nprocPerNode"] = int(processes.text)
    world = InjectedEnv(
        minimum=count.minimum,
        maximum=count.maximum,
        elastic=True,
        gpus=found.gpu_count(),
        launcher_fields=told,
        starts_torchrun=True,
    )
    made = translate_command(found, world, report)
    at = found.container.where("args" if "args" in found.container else "command")
    if "torchrun" not in made.launch:
        report.add_error("the operator's arguments are for torchrun, and this is no torchrun", at)
        return made.launch, made.run
    options = made.launch["torchrun"]
    _say(count.elastic and "max_restarts" not in given, endpoint, at, report)
    met = options.get("rendezvous", {})
    own = managed_etcd(endpoint, report) if met.get("endpoint") == endpoint else None
    if own:
        options["rendezvous"] = {"backend": met["backend"], Text("managed", endpoint.span): own}
    if options.get("wrap", True):
        return made.launch, made.run
    [(kind, line)] = made.run.items()
    if kind == "entrypoint":
        message = "the image's entrypoint must be the launcher: torchrun, or python -m torch.distributed.run"
        report.add_change(message, at, help="where the image has torchrun, run.python without wrap: false will do, too")
    before = len(found.command)
    injected = [Text(word, found.container.node.span.first) for word in INJECTED]
    return made.launch, {Text(kind, at): [*line[:before], *injected, *line[before:]]}


def _say(restarts: bool, endpoint: Text, at: Span, report: TranslationReport) -> None:
    message = "the rendezvous is named after the run; under the job's name a second run would find the first one's end"
    report.add_change(message, endpoint.span)
    if restarts:
        message = "a lost worker costs a restart, of which trainc allows 10; the operator leaves it to the launcher"
        report.add_change(message, at, help="launch.torchrun.maxRestarts")


def _sidecars(found: TranslatedPod, report: TranslationReport) -> None:
    """The operator puts its arguments before those of every container."""
    containers = found.patch.get("spec", {}).get("containers", [])
    for one in containers:
        if isinstance(one, Mapping):
            report.add_change(
                "the launcher's arguments are not for this container; the operator gives it them", one.span.first
            )
