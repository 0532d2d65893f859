"""Origins of single lines, as one reads them in the job file and in the templates."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import parse_job
from tests.support.examples import ROOT
from trainc.provenance.origins import Origin, origins
from trainc.schema.paths import Path, dotted
from trainc.target import Target

GPUS = {"cpu": 8, "memory": "32Gi", "gpu": 1}
CONTAINER = "spec.template.spec.containers[0]"


def of_job(target: Target | None = None, **spec: Any) -> dict[str, Origin]:
    """Return the origins of the workers' object, the last one, by their paths."""
    found = origins(parse_job(**{"workers": 2, "resources": GPUS, **spec}), target or Target())
    return {dotted(origin.path): origin for origin in found[-1]}


def values(origin: Origin) -> list[str]:
    return [dotted(place.path) for place in origin.values]


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("field", "source"),
    [
        ("metadata.name", "metadata.name"),
        ("spec.completions", "spec.workers"),
        (f"{CONTAINER}.image", "spec.image"),
        (f"{CONTAINER}.args[0]", "spec.run.python[0]"),
        (f"{CONTAINER}.env[0].value", "spec.workers"),  # WORLD_SIZE
        (f"{CONTAINER}.env[2].value", "metadata.name"),  # MASTER_ADDR: mnist-0
        (f"{CONTAINER}.resources.limits.nvidia.com/gpu", "spec.resources.gpu"),
    ],
)
def test_a_copy_has_its_field_and_no_rule(field: str, source: str) -> None:
    origin = of_job()[field]
    assert values(origin)[0] == source
    assert origin.rule is None


@pytest.mark.parametrize(
    ("field", "default", "derived_from"),
    [
        ("spec.backoffLimitPerIndex", "spec.lifecycle.backoffLimitPerIndex", []),
        ("spec.template.spec.restartPolicy", "spec.lifecycle.restartPolicy", []),
        (f"{CONTAINER}.ports[0].containerPort", "spec.launch.basic.port", []),
        # Half of the memory limit.
        ("spec.template.spec.volumes[0].emptyDir.sizeLimit", "spec.sharedMemory", ["spec.resources.memory"]),
    ],
)
def test_a_default_names_its_field(field: str, default: str, derived_from: list[str]) -> None:
    origin = of_job()[field]
    assert origin.rule is not None
    assert origin.rule.field == default
    assert values(origin) == derived_from


@pytest.mark.parametrize(
    ("field", "template", "text"),
    [
        ("spec.completionMode", "shared/indexed_job.yaml.j2", "completionMode: Indexed"),
        ("kind", "job/job.yaml.j2", "kind: Job"),
        (f"{CONTAINER}.name", "shared/pod_template.yaml.j2", "pod.spec"),
        ("spec.podFailurePolicy.rules[0].action", "shared/indexed_job.yaml.j2", "failure_rules"),
    ],
)
def test_a_rule_of_the_back_end_names_the_line_of_its_template(field: str, template: str, text: str) -> None:
    origin = of_job()[field]
    assert values(origin) == []
    assert origin.rule is not None
    assert (origin.rule.field, origin.rule.system, origin.rule.written.template) == ("", "job", template)
    line = (ROOT / "templates" / template).read_text("utf-8").splitlines()[origin.rule.written.line - 1]
    assert text in line


READY = "Workers must find each other before any of them can be ready."
ETCD = {"launch": {"torchrun": {"rendezvous": {"backend": "etcd-v2", "managed": {}}}}, "podSecurity": "restricted"}


@pytest.mark.parametrize(
    ("spec", "system", "path", "reason"),
    [
        ({}, "job", ("spec", "publishNotReadyAddresses"), READY),
        (ETCD, "job", ("spec", "strategy", "type"), "Two servers would host two rendezvous."),
        (ETCD, "job", ("spec", "template", "spec", "securityContext", "runAsUser"), "The image's user is root."),
        ({}, "statefulset", ("spec", "podManagementPolicy"), ""),
    ],
)
def test_the_comment_in_a_template_is_the_reason(spec: dict[str, Any], system: str, path: Path, reason: str) -> None:
    objects = origins(parse_job(**{"workers": 2, "resources": GPUS, **spec}), Target(backend=system))
    rules = [origin.rule for each in objects for origin in each if origin.path == path]
    assert {rule.written.reason for rule in rules if rule} == {reason}


def test_a_field_is_there_for_the_fields_without_which_it_is_not() -> None:
    fields = of_job()
    services = origins(parse_job(workers=2), Target())[0]
    assert [dotted(place.path) for place in services[0].conditions] == ["spec.workers"]
    command = [dotted(place.path) for place in fields[f"{CONTAINER}.command[0]"].conditions]
    assert command[0] == "spec.run.python"
    assert "spec.resources.gpu" in {
        dotted(place.path) for place in fields["spec.template.spec.volumes[0].name"].conditions
    }


def test_a_default_whose_field_only_adds_to_a_text_is_none() -> None:
    target = Target(backend="statefulset", namespace="research")
    origin = of_job(target)["metadata.annotations.trainc.dev/added-to-command"]
    assert origin.rule is not None
    assert origin.rule.field == ""


def test_options_of_the_command_are_origins() -> None:
    origin = of_job(Target(namespace="research"))["metadata.namespace"]
    assert [place.span.source.name for place in origin.values] == ["--namespace"]


def test_a_field_of_the_pod_template_is_its_own_origin() -> None:
    patch = {"spec": {"priority": 5, "containers": [{"name": "main", "tty": True}]}}
    fields = of_job(podTemplate=patch)
    assert values(fields["spec.template.spec.priority"])[0] == "spec.podTemplate.spec.priority"
    assert values(fields[f"{CONTAINER}.tty"])[0] == "spec.podTemplate.spec.containers[0].tty"
