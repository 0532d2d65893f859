"""Nodes of the cluster of `plan --cluster` for the pods of a job."""

from __future__ import annotations

from itertools import zip_longest

from trainc.cluster.entry import Entry
from trainc.cluster.judgement import job_demands, judge, unjudged
from trainc.compiled import Compiled
from trainc.diagnostics.finding import Finding
from trainc.placement.fit import Fit, fits
from trainc.placement.words import nodes as nodes_in_words
from trainc.placement.words import requirement, sentence
from trainc.plan.fields import Object
from trainc.plan.plan import NodeFit, Plan
from trainc.project.projects import Projects


def entries_of(
    jobs: list[Compiled], count: int, projects: Projects | None, selected: Entry | None
) -> list[Entry | None]:
    """Return the entry of the cluster of each of `count` plans: the selected one, else that of its job."""
    if selected is not None or projects is None or not jobs:
        return [selected] * count
    return [projects.entry_of(job.job.origin.source.name, job.spec) for job in jobs]


def with_placement(
    plans: list[Plan], objects: list[list[Object]], jobs: list[Compiled], entries: list[Entry | None]
) -> list[Plan]:
    """Return plans with the nodes for their pods, and with what keeps the jobs from running.

    Without jobs, as of manifests, only the nodes are judged.
    """
    return [
        _with_fits(planned, own, job, entry) if entry is not None else planned
        for planned, own, job, entry in zip_longest(plans, objects, jobs, entries)
        if planned and own
    ]


def _with_fits(planned: Plan, objects: list[Object], job: Compiled | None, entry: Entry) -> Plan:
    results = fits(job_demands(objects, entry), entry.nodes()) if entry.states("nodes") else []
    where = f"cluster {entry.name}"
    if job is None:
        lacking = (each for each in results if each.verdict == "lacks nodes")
        findings = [Finding(where=where, message=sentence(each, entry.name)) for each in lacking]
    else:
        findings = [
            Finding(where=where, message=each.message, help=each.help, is_harmless=each.severity != "error")
            for each in judge(job, entry)
        ]
    fitted = tuple(_node_fit(each, entry) for each in results)
    return planned.replace(
        findings=(*planned.findings, *findings), node_fits=fitted, unjudged=unjudged(objects, entry) if fitted else ()
    )


def _node_fit(fit: Fit, entry: Entry) -> NodeFit:
    removed: dict[str, int] = {}
    for each, count in fit.all.items():
        removed[requirement(each)] = removed.get(requirement(each), 0) + count
    return NodeFit(
        cluster=entry.name,
        pods=fit.demand.name,
        count=fit.demand.count,
        nodes=fit.nodes,
        fitting=fit.fitting,
        least=fit.least,
        most=fit.most,
        removed=removed,
        words=nodes_in_words(fit),
    )
