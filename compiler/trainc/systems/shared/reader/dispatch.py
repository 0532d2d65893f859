"""The other systems' jobs that trainc reads, by what they call themselves."""

from __future__ import annotations

from importlib import import_module

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.source.node import Mapping, Node, scalar_text
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.placeholders import unfilled_variables
from trainc.systems.shared.reader.report import TranslationReport

# A module of this package with a function `translate(document)` for each kind; the versions that it knows.
FOREIGN_KINDS = {
    "PyTorchJob": ("pytorchjob", ("kubeflow.org/v1", "ctyun.cn/v1")),
    "DeepSpeedJob": ("deepspeedjob", ("batch.tensorstack.dev/v1beta1",)),
    "PyTorchTrainingJob": ("pytorchtrainingjob", ("batch.tensorstack.dev/v1beta1",)),
    "ElasticJob": ("elasticjob", ("elastic.pytorch.org/v1alpha1",)),
}
# Other systems' kinds of the same name, by their groups.
CONFLICTING_KINDS = {("ElasticJob", "elastic.iml.github.io"): "dlrover's"}


def is_foreign(document: Node) -> bool:
    """Whether a document is another system's job, whatever its version and however it is spelt."""
    return isinstance(document, Mapping) and _kind(document) is not None


def translate_document(
    document: Mapping, beside: list[Mapping] | None = None
) -> tuple[Mapping | None, TranslationReport]:
    """The document in our language, and what there is to say; None when it can't be understood.

    `beside` are the objects that stand beside it in the file.
    """
    report = TranslationReport(beside)
    kind = _kind(document)
    assert kind is not None
    module, versions = FOREIGN_KINDS[kind]
    foreign = ForeignMapping(document, report)
    written, version = foreign.string("kind"), foreign.string("apiVersion")
    if written is not None and written != kind:
        report.add_change(f"the kind is called {kind}", written.span)
    owner = CONFLICTING_KINDS.get((kind, version.partition("/")[0])) if version else None
    if version is not None and owner is not None:
        message = f"this {kind} is {owner}, which trainc doesn't read"
        report.diagnostics.append(error(codes.IMPORT_UNSUPPORTED_SYSTEM, message, version.span, expected=versions[0]))
        return None, report
    if version is None or version not in versions:
        said = f"`{version}` is" if version else "there is"
        report.add_error(
            f"{said} no version of {kind} that trainc reads", document.where("apiVersion"), expected=versions[0]
        )
        return None, report
    unfilled = unfilled_variables(document)
    if unfilled is not None:
        report.diagnostics.append(unfilled)
        return None, report
    job: Mapping | None = import_module(f"trainc.systems.{module}.reader").translate(foreign)
    for path, span in foreign.unconsumed_paths() if job is not None else ():
        report.add_dropped(path, span)
    return (None if any(_is_error(said) for said in report.diagnostics) else job), report


def _kind(document: Mapping) -> str | None:
    written = scalar_text(document.get("kind")).lower()
    return next((kind for kind in FOREIGN_KINDS if kind.lower() == written), None)


def _is_error(said: Diagnostic) -> bool:
    return said.severity == "error"
