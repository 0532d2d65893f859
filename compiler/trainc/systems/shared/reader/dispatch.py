"""The other systems' jobs that trainc reads, by what they call themselves."""

from __future__ import annotations

from importlib import import_module

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.source.node import Mapping, Node, scalar_text
from trainc.systems.shared.reader.foreign import Foreign
from trainc.systems.shared.reader.placeholders import variables
from trainc.systems.shared.reader.report import Report

# A module of this package with a function `translate(document)` for each kind; the versions that it knows.
KINDS = {
    "PyTorchJob": ("pytorchjob", ("kubeflow.org/v1", "ctyun.cn/v1")),
    "DeepSpeedJob": ("deepspeedjob", ("batch.tensorstack.dev/v1beta1",)),
    "PyTorchTrainingJob": ("pytorchtrainingjob", ("batch.tensorstack.dev/v1beta1",)),
    "ElasticJob": ("elasticjob", ("elastic.pytorch.org/v1alpha1",)),
}
# Other systems' kinds of the same name, by their groups.
NAMESAKES = {("ElasticJob", "elastic.iml.github.io"): "dlrover's"}


def is_foreign(document: Node) -> bool:
    """Whether a document is another system's job, whatever its version and however it is spelt."""
    return isinstance(document, Mapping) and _kind(document) is not None


def translated(document: Mapping, beside: list[Mapping] | None = None) -> tuple[Mapping | None, Report]:
    """The document in our language, and what there is to say; None when it can't be understood.

    `beside` are the objects that stand beside it in the file.
    """
    report = Report(beside)
    kind = _kind(document)
    assert kind is not None
    module, versions = KINDS[kind]
    foreign = Foreign(document, report)
    written, version = foreign.text("kind"), foreign.text("apiVersion")
    if written is not None and written != kind:
        report.changed(f"the kind is called {kind}", written.span)
    owner = NAMESAKES.get((kind, version.partition("/")[0])) if version else None
    if version is not None and owner is not None:
        message = f"this {kind} is {owner}, which trainc doesn't read"
        report.said.append(error(codes.IMPORT_UNSUPPORTED_SYSTEM, message, version.span, expected=versions[0]))
        return None, report
    if version is None or version not in versions:
        said = f"`{version}` is" if version else "there is"
        report.wrong(
            f"{said} no version of {kind} that trainc reads", document.where("apiVersion"), expected=versions[0]
        )
        return None, report
    unfilled = variables(document)
    if unfilled is not None:
        report.said.append(unfilled)
        return None, report
    job: Mapping | None = import_module(f"trainc.systems.{module}.reader").translate(foreign)
    for path, span in foreign.leftovers() if job is not None else ():
        report.dropped(path, span)
    return (None if any(_is_error(said) for said in report.said) else job), report


def _kind(document: Mapping) -> str | None:
    written = scalar_text(document.get("kind")).lower()
    return next((kind for kind in KINDS if kind.lower() == written), None)


def _is_error(said: Diagnostic) -> bool:
    return said.severity == "error"
