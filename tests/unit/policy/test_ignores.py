"""Who may excuse a job from the policy: the project file, with an owner and until a date, but no job file."""

from __future__ import annotations

import pytest

from tests.support.build import job_text
from tests.support.corpus import parse_project
from trainc.diagnostics.diagnostic import Diagnostic, Rejected
from trainc.driver import compile_inputs
from trainc.frontend import read_sources
from trainc.span import Source
from trainc.target import Target

HEAD = "apiVersion: trainc.dev/v1alpha1\nkind: Project\n"
POLICY = "policy: {maxHours: 24, pinnedImages: digest}\n"
# Today is 2026-12-01 in these tests.
EXCUSED = "ignores: [{codes: [TC6055], paths: [old/**], owner: vision, until: 2026-12-01}]\n"


def diagnose(project: str, job: str, name: str = "old/job.yaml") -> list[Diagnostic]:
    projects = parse_project(HEAD + project, name)
    return compile_inputs(read_sources([Source(name, job)], projects=projects), Target()).diagnostics


def found(project: str, job: str = "", name: str = "old/job.yaml") -> list[tuple[str, str]]:
    return [(each.code.id, each.severity) for each in diagnose(project, job or job_text(), name)]


def test_an_owner_excuses_jobs_until_a_date() -> None:
    assert found(POLICY) == [("TC6055", "error"), ("TC6052", "error")]
    assert found(POLICY + EXCUSED) == [("TC6052", "error")]
    assert found(POLICY + EXCUSED, name="new/job.yaml") == [("TC6055", "error"), ("TC6052", "error")]


def test_an_excuse_that_has_ended_is_named() -> None:
    late = diagnose(POLICY + EXCUSED.replace("2026-12-01", "2026-11-30"), job_text())
    texts = [[each.message for each in diagnostic.related] for diagnostic in late if diagnostic.code.id == "TC6055"]
    assert texts == [["the policy", "the ignore of vision ended on 2026-11-30"]]


@pytest.mark.parametrize(
    ("fields", "missing"),
    [("owner: vision", "`until`"), ("until: 2027-01-31", "`owner`"), ("reason: legacy", "`owner` and `until`")],
)
@pytest.mark.parametrize("word", ["TC6055", "policy-hours", "TC6", "TC605"])
def test_an_excuse_without_an_owner_or_a_date_is_an_error(word: str, fields: str, missing: str) -> None:
    with pytest.raises(Rejected) as rejected:
        found(POLICY + f"ignores: [{{codes: [{word}], {fields}}}]\n")
    (diagnostic,) = rejected.value.diagnostics
    assert diagnostic.message == f"`{word}` excuses jobs from the policy without {missing}"


def test_a_comment_ignores_only_what_the_policy_lets_it() -> None:
    job = job_text()
    marked = job.replace('  "name": "mnist"', '  # trainc: ignore TC6055\n  "name": "mnist"')
    marked = marked.replace('  "image"', '  # trainc: ignore TC6052\n  "image"')
    assert marked.count("# trainc") == 2
    assert found(POLICY, marked) == [("TC6055", "error"), ("TC6052", "error")]
    ignorable = POLICY.replace("}", ", ignorable: [maxHours, pinnedImages]}")
    assert found(ignorable, marked) == []
    assert found(ignorable, job) == [("TC6055", "warning"), ("TC6052", "warning")]


def test_a_violation_in_a_default_names_the_job() -> None:
    job = job_text().replace('"image": "image:1",', "")
    (diagnostic,) = diagnose("defaults: {spec: {image: 'train:1'}}\npolicy: {pinnedImages: digest}\n", job)
    assert str(diagnostic.span) == "trainc.yaml:3:26"
    assert [each.span.source.name for each in diagnostic.related] == ["trainc.yaml", "old/job.yaml"]


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ("{maxGPU: 8}", "unknown field `maxGPU` in `policy`"),
        ("{maxGPUs: -1}", "`policy.maxGPUs` cannot be -1"),
        ("{maxHours: 0}", "`policy.maxHours` cannot be 0"),
        ("{pinnedImages: sha}", '`policy.pinnedImages` cannot be the string "sha"'),
        ("{allowedRegistries: [pytorch]}", '`policy.allowedRegistries[0]` cannot be the string "pytorch"'),
        ("{allowedRegistries: ['https://a.io']}", '`policy.allowedRegistries[0]` cannot be the string "https://a.io"'),
        ("{allowedRegistries: ['a.io/*']}", '`policy.allowedRegistries[0]` cannot be the string "a.io/*"'),
        ("{forbidden: [hostpath]}", '`policy.forbidden[0]` cannot be the string "hostpath"'),
        ("{ignorable: [everything]}", '`policy.ignorable[0]` cannot be the string "everything"'),
        ("{requiredLabels: ['a b']}", '`policy.requiredLabels[0]` cannot be the string "a b"'),
    ],
)
def test_an_invalid_policy_is_an_error(policy: str, message: str) -> None:
    with pytest.raises(Rejected) as rejected:
        found(f"policy: {policy}\n")
    assert rejected.value.diagnostics[0].message == message
