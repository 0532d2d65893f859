"""The driver loads and translates every source once."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.support.command import JOB
from trainc import driver, frontend
from trainc.source.load import load
from trainc.span import Source
from trainc.systems.shared.reader import documents
from trainc.systems.shared.reader.documents import translate_document
from trainc.target import Target

PYTORCHJOB = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {{name: job-{number}}}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        spec:
          containers:
          - {{name: pytorch, image: "train:1", command: [torchrun, train.py]}}
"""
SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: data}\nspec: {ports: [{port: 80}]}\n"


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count loads by source and translations by job."""
    counts: Counter[str] = Counter()

    def counted_load(source: Source) -> Any:
        counts[source.name] += 1
        return load(source)

    def counted_translation(document: Any, *arguments: Any) -> Any:
        counts[document.get("metadata").get("name").text] += 1
        return translate_document(document, *arguments)

    monkeypatch.setattr(frontend, "load", counted_load)
    monkeypatch.setattr(documents, "translate_document", counted_translation)
    return counts


def test_every_source_is_loaded_once_and_every_job_translated_once(calls: Counter[str]) -> None:
    sources = [Source(f"{number}.yaml", PYTORCHJOB.format(number=number)) for number in range(20)]
    sources += [Source("service.yaml", SERVICE), Source("more.yaml", f"{PYTORCHJOB.format(number=20)}---\n{SERVICE}")]
    outcome = driver.run([*sources, Source("native.yaml", JOB)], Target())
    assert len(outcome.jobs) == 22, outcome.diagnostics
    assert set(calls) == {*(source.name for source in sources), "native.yaml", *(f"job-{n}" for n in range(21))}
    assert set(calls.values()) == {1}


def test_inputs_are_compiled_for_several_targets_without_being_loaded_again(calls: Counter[str]) -> None:
    inputs = frontend.read_sources([Source("job.yaml", JOB)])
    for backend in ("job", "statefulset"):
        [compiled] = driver.compile_inputs(inputs, Target(backend=backend)).jobs
        assert compiled.objects
    assert calls == {"job.yaml": 1}
