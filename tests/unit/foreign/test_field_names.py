"""Names of fields in messages about another system's file. Expected names are those of the file's own API."""

from __future__ import annotations

import pytest

from trainc.diagnostics import codes
from trainc.diagnostics.advice import Advice, Help
from trainc.diagnostics.diagnostic import Diagnostic, warning
from trainc.foreign.wording import in_terms_of_file
from trainc.source.load import load
from trainc.source.node import Mapping
from trainc.span import Source, Span
from trainc.systems.registry import find
from trainc.systems.shared.reader.documents import ForeignJob

DOCUMENT = "kind: PyTorchJob\nmetadata: {name: mnist}\nspec:\n  nprocPerNode: '2'\n"


def reworded(diagnostic: Diagnostic, system: str = "pytorchjob", in_own_system: bool = True) -> Diagnostic:
    [document], _ = load(diagnostic.span.source)
    assert isinstance(document, Mapping)
    job = ForeignJob(system=find(system), document=document, job=None, faults=[])
    [result] = in_terms_of_file([diagnostic], job, in_own_system)
    return result


def finding(message: str = "m", help: Help | None = None, line: int = 4, column: int = 17) -> Diagnostic:
    span = Span(Source("job.yaml", DOCUMENT), line, column, line, column + 1)
    return warning(codes.MUTABLE_IMAGE_TAG, message, span, help=help)


@pytest.mark.parametrize(
    ("system", "message", "expected"),
    [
        ("pytorchjob", "`workers` 8 is too much", "`spec.pytorchReplicaSpecs.Worker.replicas` 8 is too much"),
        ("pytorchjob", "2 workers wait", "2 workers wait"),
        ("pytorchjob", "`spec.lifecycle.backoffLimit` is 2", "`spec.runPolicy.backoffLimit` is 2"),
        ("pytorchjob", "`backoffLimit` is 2", "`backoffLimit` is 2"),
        ("pytorchjob", "`rendezvous.port` is ignored", "`spec.elasticPolicy.rdzvPort` is ignored"),
        ("pytorchjob", "`nprocPerNode: gpu` requires a GPU", "`nprocPerNode: gpu` requires a GPU"),
        ("pytorchjob", "duplicate volume `data`", "duplicate volume `data`"),
        ("pytorchjob", "`train.py` of example.com/train is lost", "`train.py` of example.com/train is lost"),
        ("elasticjob", "`workers` 8 is too much", "`spec.replicaSpecs.Worker.replicas` 8 is too much"),
        ("elasticjob", "`spec.lifecycle.backoffLimit` is 2", "`spec.RunPolicy.backoffLimit` is 2"),
        ("deepspeedjob", "`slotsPerWorker` is 2", "`slotsPerWorker` is 2"),
        ("deepspeedjob", "use `spec.run`", "use `spec.config.run`"),
    ],
)
def test_fields_have_the_names_of_the_file(system: str, message: str, expected: str) -> None:
    assert reworded(finding(message), system).message == expected


@pytest.mark.parametrize(
    ("help_", "expected"),
    [
        ("set checkpoint.path", None),
        ("set sshSecret to a Secret, or pass `--generate-ssh-key FILE`", None),
        (("remove it", Advice(text="use {}", backends=("job",))), "remove it"),
        ("remove it, or set `wrap: false`", "remove it"),
        ("use launch.torchrun, or remove `elastic`", "remove `spec.elasticPolicy`"),
        ("use launch.deepspeed, or a hostfile", None),  # no sentence without its verb
        (
            "use `python3 -m torch.distributed.run` (`launch.torchrun.module: x`)",
            "use `python3 -m torch.distributed.run`",
        ),
        ("set resources.memory", "set resources.limits.memory"),
        ("rename it", "rename it"),
        (None, None),
    ],
)
def test_a_help_has_the_alternatives_that_exist_in_the_file(help_: Help | None, expected: str | None) -> None:
    assert reworded(finding(help=help_)).help == expected


def test_another_back_end_is_suggested_unless_the_job_is_checked_in_its_own_system() -> None:
    assert (
        reworded(finding(help=Advice(text="use {}", backends=("job",))), in_own_system=False).help
        == "use `--backend job`"
    )


def test_a_finding_about_no_field_is_at_the_name() -> None:
    result = reworded(finding(line=1, column=1))
    assert (result.span.line, result.span.column) == (2, 18)
    assert (reworded(finding()).span.line, reworded(finding()).span.column) == (4, 17)
