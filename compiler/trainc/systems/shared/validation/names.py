"""Names, label keys and label values.

https://github.com/kubernetes/apimachinery/blob/v0.36.0/pkg/util/validation/validation.go
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainc.diagnostics.codes import Code
from trainc.diagnostics.finding import REMOVE, Finding, rejection
from trainc.plan.fields import Object, mapping, text

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_DNS_LABEL = re.compile(_LABEL)
_SUBDOMAIN = re.compile(rf"{_LABEL}(\.{_LABEL})*")
_VALUE = re.compile("([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?")
LONGEST_LABEL, LONGEST_NAME = 63, 253
_TIMES = ("creationTimestamp", "deletionTimestamp")  # which the API server replaces, but parses
_TIME = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.,][0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})")
_ZERO = "0001-01-01T00:00:00Z"
_LOWER = "lowercase letters, digits and dashes"
_RENAME = f"use {_LOWER}"


def label_problem(name: str) -> str:
    """Return why a name is not a DNS label, or an empty string."""
    if len(name) > LONGEST_LABEL:
        return f"is longer than {LONGEST_LABEL} characters"
    return "" if _DNS_LABEL.fullmatch(name) else "is not a DNS label"


def label_errors(value: object, what: str, *path: str | int, code: Code | None = None) -> Iterator[Finding]:
    """Require a DNS label, if the field has a value."""
    if isinstance(value, str) and value and (problem := label_problem(value)):
        help_ = f"{_RENAME}, at most {LONGEST_LABEL} characters"
        yield rejection(f"{what} `{value}` {problem}", *path, help=help_, code=code)


def name_errors(value: object, what: str, *path: str | int) -> Iterator[Finding]:
    """Require a DNS subdomain, if the field has a value."""
    if isinstance(value, str) and value and not is_subdomain(value):
        yield rejection(f"{what} `{value}` is not a DNS name", *path, help=f"{_RENAME}, which dots may separate")


def is_subdomain(text: str) -> bool:
    """Return whether a text is a DNS subdomain."""
    return len(text) <= LONGEST_NAME and bool(_SUBDOMAIN.fullmatch(text))


def metadata_errors(metadata: Object, *path: str | int) -> Iterator[Finding]:
    """Check labels and annotations: ValidateObjectMeta, ValidateAnnotations."""
    yield from pair_errors(mapping(metadata, "labels"), "label", *path, "labels")
    for field in _TIMES:
        if field in metadata and not _TIME.fullmatch(text(metadata, field) or _ZERO):
            yield rejection(f"`{text(metadata, field)}` is not a time", *path, field, help="remove it", fix=REMOVE)
    for key in mapping(metadata, "annotations"):
        yield from _key_errors(key, "annotation", *path, "annotations", key)


def object_errors(resource: Object) -> Iterator[Finding]:
    """Check the metadata of an object with a name of its own."""
    yield from name_errors(text(resource, "metadata", "name"), "name", "metadata", "name")
    yield from custom_errors(resource)


def custom_errors(resource: Object) -> Iterator[Finding]:
    """Check the metadata of a custom resource, but for its name, for which operators have rules of their own."""
    prefix = re.sub("-$", "", text(resource, "metadata", "generateName"))
    yield from name_errors(prefix, "generateName", "metadata", "generateName")
    yield from metadata_errors(mapping(resource, "metadata"), "metadata")


def pair_errors(pairs: Object, what: str, *path: str | int) -> Iterator[Finding]:
    """Check the keys and values of labels, or of a selector."""
    for key, value in pairs.items():
        yield from _key_errors(key, what, *path, key)
        yield from value_errors(value, what, *path, key)


def value_errors(value: object, what: str, *path: str | int) -> Iterator[Finding]:
    """Check the value of a label."""
    if isinstance(value, str) and not (len(value) <= LONGEST_LABEL and _VALUE.fullmatch(value)):
        allowed = f"use letters, digits, `-`, `_` and `.`, at most {LONGEST_LABEL} characters, not at the ends"
        help_ = allowed.replace(", not at the ends", "") if len(value) > LONGEST_LABEL else allowed
        yield rejection(f"`{value}` is not the value of a {what}", *path, help=help_)


def is_qualified(key: str) -> bool:
    """Return whether a text is a name, optionally after a DNS name and a slash."""
    prefix, slash, name = key.rpartition("/")
    is_prefixed = not slash or (len(prefix) <= LONGEST_NAME and bool(_SUBDOMAIN.fullmatch(prefix)))
    return bool(name) and is_prefixed and len(name) <= LONGEST_LABEL and bool(_VALUE.fullmatch(name))


def _key_errors(key: str, what: str, *path: str | int) -> Iterator[Finding]:
    if not is_qualified(key.lower() if what == "annotation" else key):
        a_what = f"an {what}" if what == "annotation" else f"a {what}"
        help_ = "write a name of letters, digits, `-`, `_` and `.`, or `<domain>/<name>`"
        yield rejection(f"`{key}` is not the name of {a_what}", *path, help=help_)
