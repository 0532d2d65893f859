"""What is wrong with the manifests."""

from __future__ import annotations

from trainc.diagnostics.codes import Code
from trainc.record import Record


class Fault(Record):
    """Fault of a worker's container or of its launch.

    `about` are the words of the manifests that have it: an option and its value, a reference such as `$(RANK)` or the
    name of a variable, the host of an endpoint. `code` is that of the rule that reports the same fault at a position.
    """

    message: str
    about: tuple[str, ...] = ()
    code: Code | None = None
