"""The line of a template that writes a field, as one reads it in the templates."""

from __future__ import annotations

import pytest

from tests.support.command import JOB
from tests.support.examples import ROOT
from trainc.driver import run
from trainc.provenance.template_lines import TemplateLines
from trainc.schema.paths import Path
from trainc.span import Source
from trainc.target import Target

POD_TEMPLATE = "shared/pod_template.yaml.j2"
POD = ("spec", "template", "spec")


@pytest.mark.parametrize(
    ("path", "template", "text"),
    [
        (("kind",), "job/job.yaml.j2", "kind: Job"),
        (("metadata", "labels"), "shared/metadata.yaml.j2", "labels: {{ labels }}"),
        ((*POD, "containers", 0, "command", 0), POD_TEMPLATE, "spec: {{ pod.spec }}"),
        # Fields that only a podTemplate adds.
        ((*POD, "hostNetwork"), POD_TEMPLATE, "spec: {{ pod.spec }}"),
        ((*POD, "containers", 7, "tty"), POD_TEMPLATE, "spec: {{ pod.spec }}"),
        (("spec", "template", "metadata", "labels", "team"), POD_TEMPLATE, "labels: {{ pod.labels }}"),
    ],
)
def test_the_line_of_a_field(path: Path, template: str, text: str) -> None:
    (job,) = run([Source("job.yaml", JOB)], Target(backend="job")).jobs
    written = TemplateLines(job.objects[-1]).line_of(path)
    source = (ROOT / "templates" / template).read_text("utf-8").splitlines()
    assert (written.template, source[written.line - 1].strip()) == (template, text)
