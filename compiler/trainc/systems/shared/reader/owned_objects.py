"""Objects of the input that controllers have created from others, as in a dump of a cluster."""

from __future__ import annotations

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, note
from trainc.source.node import Mapping, mappings, scalar_text
from trainc.systems.shared.reader.tree import child


def without_owned(documents: list[Mapping]) -> list[Mapping]:
    """Return the documents whose controllers are not among them."""
    names = {_key(each) for each in documents}
    return [each for each in documents if _owner(each) not in names]


def report_owned(document: Mapping) -> Diagnostic:
    """Return the note about an object that its controller creates again."""
    name, owner = "/".join(_key(document)[:2]), "/".join((_owner(document) or ())[:2])
    return note(codes.IMPORT_CHANGED_FIELD, f"`{name}` is left out: `{owner}` creates it", document.where("kind"))


def _owner(document: Mapping) -> tuple[str, str, str] | None:
    """Return kind, name and namespace of the controller.

    https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/
    """
    for owner in mappings(child(document, "metadata", "ownerReferences")):
        if scalar_text(owner.get("controller")) == "true":
            return scalar_text(owner.get("kind")), scalar_text(owner.get("name")), _key(document)[2]
    return None


def _key(document: Mapping) -> tuple[str, str, str]:
    name, namespace = (scalar_text(child(document, "metadata", field)) for field in ("name", "namespace"))
    return scalar_text(document.get("kind")), name, namespace
