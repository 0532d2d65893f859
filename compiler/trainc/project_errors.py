"""Errors of jobs by their project files: violations of the policy, and clusters that are unknown or invalid."""

from __future__ import annotations

from trainc.compiled import Compiled, Input
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.project.projects import Projects
from trainc.project.targets import unknown_clusters
from trainc.target import Target


def project_errors(
    projects: Projects | None, inputs: list[Input], jobs: list[Compiled], target: Target, are_manifests: bool
) -> list[Diagnostic]:
    """Return the errors of jobs; with `are_manifests` the policy is applied to all objects in files, too."""
    policy = _violations(projects, inputs, jobs, are_manifests) if projects is not None else []
    return [*policy, *_cluster_errors(projects, inputs, target)]


def _violations(projects: Projects, inputs: list[Input], jobs: list[Compiled], are_manifests: bool) -> list[Diagnostic]:
    """Return the violations of the policies of projects."""
    if not projects.has("policy"):
        return []
    from trainc.policy.judge import judge_files, judge_jobs

    return [*judge_jobs(projects, jobs), *(judge_files(projects, inputs) if are_manifests else ())]


def _cluster_errors(projects: Projects | None, inputs: list[Input], target: Target) -> list[Diagnostic]:
    """Return the errors of clusters that jobs name; the option --cluster overrides all."""
    if target.cluster:
        return []
    with_cluster = [(item, spec) for item in inputs for spec in item.specs if "cluster" in spec.node.entries]
    owners = [(projects.of(item.source.name) if projects else None, spec) for item, spec in with_cluster]
    return [*unknown_clusters(owners), *(projects.entries.errors if projects and projects.entries else ())]
