"""The section `policy` of a project file, and its violations.

Its schema is `schemas/policy.json`; a value here is valid by it.
"""

from __future__ import annotations

from trainc.diagnostics.codes import Code
from trainc.diagnostics.diagnostic import Diagnostic, error, warning
from trainc.judge.position import span_at
from trainc.policy.images import Registry, parse_registry
from trainc.record import Record
from trainc.schema.paths import Path
from trainc.source.node import Mapping, Node, Scalar, Sequence, scalar_text
from trainc.span import Span

UNKNOWN_PODS = "unknownPods"
ANY_QUEUE = "*"


class Policy(Record):
    """Policy with the positions of its values in `node`. An absent limit is None, an absent list empty."""

    node: Mapping
    required_labels: tuple[str, ...]
    label_values: dict[str, tuple[str, ...]]
    registries: tuple[Registry, ...]
    pinned_images: str
    required_queues: tuple[str, ...]
    max_gpus: int | None
    max_hours: float | None
    forbidden: tuple[str, ...]
    ignorable: tuple[str, ...]

    def where(self, field: str, item: str = "") -> Span:
        """Return the position of a field, or of an item of its list or mapping."""
        node = self.node.get(field)
        if item and isinstance(node, Sequence):
            return next((each.span for each in node.items if scalar_text(each) == item), self.node.where(field))
        if item and isinstance(node, Mapping) and item in node.entries:
            return node.entries[item].key.span
        return self.node.where(field)


def read_policy(node: Mapping) -> Policy:
    """Return the policy of a valid section."""
    values = node.get("labelValues")
    registries = (parse_registry(each) for each in _texts(node.get("allowedRegistries")))
    gpus, hours = _number(node.get("maxGPUs")), _number(node.get("maxHours"))
    return Policy(
        node=node,
        required_labels=_texts(node.get("requiredLabels")),
        label_values={name: _texts(each) for name, each in values.items()} if isinstance(values, Mapping) else {},
        registries=tuple(each for each in registries if each is not None),
        pinned_images=scalar_text(node.get("pinnedImages")),
        required_queues=_texts(node.get("requiredQueues")),
        max_gpus=None if gpus is None else int(gpus),
        max_hours=hours,
        forbidden=_texts(node.get("forbidden")),
        ignorable=_texts(node.get("ignorable")),
    )


def _texts(node: Node | None) -> tuple[str, ...]:
    return tuple(map(scalar_text, node.items)) if isinstance(node, Sequence) else ()


def _number(node: Node | None) -> float | None:
    value = node.value if isinstance(node, Scalar) else None
    return value if isinstance(value, int | float) else None


class Violation(Record):
    """Value of an object, at `path`, that the field `field` of a policy, or its item, does not allow.

    The path may be longer than the object: the last field that exists is reported. `manifest_help` replaces `help` in a
    manifest, which lacks the fields of a job file.
    """

    code: Code
    message: str
    help: str
    manifest_help: str = ""
    document: Mapping
    path: Path
    field: str
    item: str = ""
    ignorable_by: str = ""  # name in `ignorable`, if it isn't the field


def diagnostic(violation: Violation, policy: Policy, is_manifest: bool = False) -> Diagnostic:
    """Return the error, or the warning if the policy lets files ignore it."""
    help_ = (violation.manifest_help if is_manifest else "") or violation.help
    severity = warning if (violation.ignorable_by or violation.field) in policy.ignorable else error
    where = span_at(violation.document, violation.path)
    related = [(policy.where(violation.field, violation.item), "the policy")]
    return severity(violation.code, violation.message, where, help=help_, related=related)
