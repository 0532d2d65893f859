"""Faults of objects, before they have a position in a file."""

from __future__ import annotations

from trainc.diagnostics.codes import Code
from trainc.record import Record

REMOVE = ("remove", None)  # fix of a field
_SERVING = ("Service/", "HorizontalPodAutoscaler/")


class Finding(Record):
    """Fault of an object, as an API server, operator, kubelet or launcher treats it, or as the plan shows it.

    `path` is the field with the fault: that of the judged object, or of the object of kind `part` next to it. `where`
    is the object or pod as `plan` shows it. `about` are the words of the manifests with the fault: an option and its
    value, a reference such as `$(RANK)`, the name of a variable, the host of an endpoint.

    `help` is the remedy, None if the message says it. `fix` is `set`, `rename`, `move` or `remove`, and the new value,
    name or place of the field. `related` are the paths of values that contradict it, each with a label. `code` is None
    if the fault has no page of its own. With `is_harmless` the workers train nevertheless.
    """

    message: str
    help: str | None = None
    where: str = ""
    path: tuple[str | int, ...] = ()
    part: str = ""
    about: tuple[str, ...] = ()
    fix: tuple[str, object] | None = None
    related: tuple[tuple[tuple[str | int, ...], str], ...] = ()
    code: Code | None = None
    is_harmless: bool = False

    @property
    def is_fatal(self) -> bool:
        """Return whether it keeps the workers from training: faults of Services and autoscalers may not."""
        return not (self.is_harmless or self.where.startswith(_SERVING))

    @property
    def sentence(self) -> str:
        """Message followed by the help in parentheses."""
        return f"{self.message} ({self.help})" if self.help else self.message


def rejection(
    message: str,
    *path: str | int,
    help: str | None = None,
    fix: tuple[str, object] | None = None,
    part: str = "",
    related: tuple[tuple[tuple[str | int, ...], str], ...] = (),
    code: Code | None = None,
) -> Finding:
    """Return the reason for which an object is rejected because of a field."""
    return Finding(message=message, path=path, help=help, fix=fix, part=part, related=related, code=code)
