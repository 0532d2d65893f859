"""Translate a Job whose pods train together: https://kubernetes.io/docs/concepts/workloads/controllers/job/"""

from __future__ import annotations

from typing import Any

from trainc.source.node import Mapping, Scalar, scalar_text
from trainc.span import Text
from trainc.systems.job.traits import BACKOFF_LIMIT, INDEX_LABEL, INDEX_VARIABLE, RUN_LABEL
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.job_policies import (
    exit_codes,
    report_failed_indexes,
    report_manager,
    report_replacement,
    success_policy,
    translate_mode,
)
from trainc.systems.shared.reader.numbered_pods import Workers, assemble, read_pods, read_sections, translate_workers
from trainc.systems.shared.reader.pod import TranslatedPod
from trainc.systems.shared.reader.training import trains as is_training
from trainc.systems.shared.reader.tree import child

_POD = "spec.template.spec"
# Names in a Job by the paths of trainc's fields.
NAMES = {
    "workers": "spec.completions",
    "mode": "spec.suspend",
    **{
        f"lifecycle.{name}": f"spec.{name}"
        for name in (
            *("ttlSecondsAfterFinished", "backoffLimit", "backoffLimitPerIndex", "activeDeadlineSeconds"),
            "successPolicy",
        )
    },
    "lifecycle.exitCodes": "spec.podFailurePolicy",
    "lifecycle.restartPolicy": f"{_POD}.restartPolicy",
}


def trains(document: Mapping) -> bool:
    """Return whether the Job's pods train."""
    return is_training(document, completes=True)


def translate(document: ForeignMapping) -> Mapping | None:
    """Return the TrainingJob, or None if errors were reported."""
    sections = read_sections(document)
    if sections is None:
        return None
    metadata, queue, spec, template = sections
    main = read_pods(document, template)
    count = _count(document, spec, main) if main is not None else None
    if main is None or count is None:
        return None
    subdomain = scalar_text(child(template.node, "spec", "subdomain"))
    workers = Workers(
        section=spec,
        count=count,
        index=(INDEX_VARIABLE,),
        index_labels=(INDEX_LABEL,),
        run_labels=(RUN_LABEL, "controller-uid"),
        service=subdomain,
        has_ordinals=False,
    )
    fields = translate_workers(metadata, main, workers, [document.node])
    spec.ignore("selector", "manualSelector")
    fields["lifecycle"] = _lifecycle(spec, template)
    fields["mode"] = translate_mode(spec, queued=queue is not None)
    report_manager(spec, "kubernetes.io/job-controller")
    return assemble(document, metadata, queue, main, fields)


def _count(document: ForeignMapping, spec: ForeignMapping, main: TranslatedPod) -> Scalar | None:
    """Return the number of workers; None after an error: all of a world run at once, and each has a number."""
    completions, parallelism = spec.integer("completions"), spec.integer("parallelism")
    mode = spec.choice("completionMode", ("Indexed", "NonIndexed"))
    if mode is None and "completionMode" in spec:
        return None
    is_indexed = mode == "Indexed"
    total = (1 if parallelism is None else parallelism) if completions is None else completions
    field = "completions" if completions is not None else "parallelism"
    where = spec.position(field)
    problem, help_ = "", ""
    if is_indexed and completions is None and parallelism is not None:
        problem, where = "an Indexed Job requires `completions`", document.where("spec")
        help_ = f"set `completions: {total}`"
    elif completions is None and total > 1:
        problem = (
            f"the Job is a work queue: it is complete when one of its {total} pods has succeeded and all have ended"
        )
        help_ = f"set `completionMode: Indexed` and `completions: {total}`"
    elif (1 if parallelism is None else parallelism) < total:
        parallelism = 1 if parallelism is None else parallelism
        problem = f"the Job runs {parallelism} of its {total} pods at a time: they never train together"
        help_ = f"set `parallelism: {total}`"
        where = spec.where("parallelism") if "parallelism" in spec else where
    elif total > 1 and not is_indexed and not _meets_anywhere(main):
        problem = f"the Job's {total} pods have no numbers, by which they would find each other"
        help_ = "set `completionMode: Indexed`"
    elif total < 1:
        problem = "the Job has no pods"
    if problem:
        spec.report.add_error(problem, where, help=help_ or None)
        return None
    if total > 1 and not is_indexed:
        spec.report.add_change("the workers are numbered: `completionMode: Indexed`", where)
    return Scalar(total, str(total), where)


def _meets_anywhere(main: TranslatedPod) -> bool:
    """Return whether the pods meet at an address of its own, such as that of an etcd server."""
    words = " ".join([*main.command, *main.args])
    return "PET_RDZV_ENDPOINT" in main.literal_env() or "rdzv-endpoint" in words or "rdzv_endpoint" in words


def _lifecycle(spec: ForeignMapping, template: ForeignMapping) -> dict[str, Any]:
    """Return the fields of `lifecycle`. Without limits a Job has 6 failures of all pods together."""
    policy = child(template.node, "spec", "restartPolicy")
    restart = scalar_text(policy)
    fields: dict[str, Any] = {
        spec.key(name): spec.consume(name)
        for name in ("ttlSecondsAfterFinished", "activeDeadlineSeconds", "backoffLimit", "backoffLimitPerIndex")
    }
    if spec.node.get("backoffLimit") is None and spec.node.get("backoffLimitPerIndex") is None:
        where = spec.node.span.first
        fields["backoffLimit"] = Scalar(BACKOFF_LIMIT, str(BACKOFF_LIMIT), where)
    if restart == "OnFailure" and policy is not None:
        fields[Text("restartPolicy", policy.span)] = policy
    elif restart != "Never":
        where = policy.span if policy is not None else template.where("spec")
        message = f"a Job's pods need a `restartPolicy`, which is {f'`{restart}`' if restart else 'Always by default'}"
        spec.report.add_error(message, where, expected="Never, OnFailure")
    report_failed_indexes(spec)
    report_replacement(spec, restart == "Never")
    return {**fields, **success_policy(spec), **exit_codes(spec)}
