"""Names of fields in messages about another system's file. Expected names are those of the file's own API."""

from __future__ import annotations

import pytest

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, warning
from trainc.diagnostics.message import BackEnds, Help, Message, Phrase
from trainc.foreign.field_names import in_terms_of_file
from trainc.source.load import load
from trainc.source.node import Mapping
from trainc.span import Source, Span
from trainc.systems.registry import find
from trainc.systems.shared.reader.documents import ForeignJob
from trainc.systems.shared.reader.report import TranslationReport

DOCUMENT = "kind: PyTorchJob\nmetadata: {name: mnist}\nspec:\n  nprocPerNode: '2'\n"
JOB = Message("use {}", BackEnds(("job",)))


def reworded(diagnostic: Diagnostic, system: str = "pytorchjob", in_own_system: bool = True) -> Diagnostic:
    [document], _ = load(diagnostic.span.source)
    assert isinstance(document, Mapping)
    job = ForeignJob(system=find(system), document=document, job=None, report=TranslationReport())
    [result] = in_terms_of_file([diagnostic], job, in_own_system)
    return result


def finding(message: Phrase = "m", help: Help | None = None, line: int = 4, column: int = 17) -> Diagnostic:
    span = Span(Source("job.yaml", DOCUMENT), line, column, line, column + 1)
    return warning(codes.MUTABLE_IMAGE_TAG, message, span, help=help)


@pytest.mark.parametrize(
    ("system", "template", "expected"),
    [
        ("pytorchjob", "`{workers}` 8 is too much", "`spec.pytorchReplicaSpecs.Worker.replicas` 8 is too much"),
        ("pytorchjob", "`{spec.lifecycle.backoffLimit}` is 2", "`spec.runPolicy.backoffLimit` is 2"),
        ("pytorchjob", "`{lifecycle/backoffLimit}` is 2", "`backoffLimit` is 2"),
        ("pytorchjob", "`{launch.torchrun/rendezvous.port}` is ignored", "`spec.elasticPolicy.rdzvPort` is ignored"),
        ("pytorchjob", "`{launch.torchrun/nprocPerNode: gpu}` is new", "`nprocPerNode: gpu` is new"),
        ("pytorchjob", "{image}", "image"),
        ("pytorchjob", "{checkpoint.path} is not set", "checkpoint.path is not set"),  # the file cannot have it
        ("elasticjob", "`{workers}` 8 is too much", "`spec.replicaSpecs.Worker.replicas` 8 is too much"),
        ("elasticjob", "`{spec.lifecycle.backoffLimit}` is 2", "`spec.RunPolicy.backoffLimit` is 2"),
        ("deepspeedjob", "`{launch.deepspeed/slotsPerWorker}` is 2", "`slotsPerWorker` is 2"),
        ("deepspeedjob", "use `{spec.run}`", "use `spec.config.run`"),
    ],
)
def test_fields_have_the_names_of_the_file(system: str, template: str, expected: str) -> None:
    assert reworded(finding(Message(template)), system).message == expected


def test_words_of_the_user_are_no_fields() -> None:
    message = Message("duplicate volume `{}`, {} workers", "{workers}", Message("{workers}"))
    assert reworded(finding("`workers` {workers}")).message == "`workers` {workers}"
    expected = "duplicate volume `{workers}`, spec.pytorchReplicaSpecs.Worker.replicas workers"
    assert reworded(finding(message)).message == expected


@pytest.mark.parametrize(
    ("help_", "expected"),
    [
        (Message("set {checkpoint.path}"), None),
        ((Message("set {launch.deepspeed.sshSecret}"), "use a volume"), "use a volume"),
        (("remove it", JOB), "remove it"),
        (("remove it", Message("set `{launch.torchrun/wrap: false}`")), "remove it"),
        ((Message("use {launch.torchrun}"), Message("remove `{elastic}`")), "remove `spec.elasticPolicy`"),
        # A value means nothing to a field of another name.
        (("remove it", Message("set `{mode: paused}`")), "remove it"),
        (Message("set {resources.memory}"), "set resources.limits.memory"),
        ("rename it, or remove it", "rename it, or remove it"),
        (None, None),
    ],
)
def test_a_help_has_the_alternatives_that_exist_in_the_file(help_: Help | None, expected: str | None) -> None:
    assert reworded(finding(help=help_)).help == expected


def test_another_back_end_is_suggested_unless_the_job_is_checked_in_its_own_system() -> None:
    assert reworded(finding(help=JOB), in_own_system=False).help == "use `--backend job`"
    assert reworded(finding(help=JOB)).help is None


def test_a_finding_about_no_field_is_at_the_name() -> None:
    result = reworded(finding(line=1, column=1))
    assert (result.span.line, result.span.column) == (2, 18)
    assert (reworded(finding()).span.line, reworded(finding()).span.column) == (4, 17)
