"""`trainc krm-function`."""

from __future__ import annotations

from trainc.cli import options
from trainc.record import Record
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.messages import Messages
    from trainc.cli.settings import Cluster, Configuration, Values


class Options(Record):
    """Replace the jobs of a ResourceList by their manifests.

    kustomize runs it as a generator or transformer: a KRM function, with a ResourceList on standard input and output.
    """

    backend: str | None = options.BACKEND
    values: Values = options.VALUES
    cluster: Cluster = options.CLUSTER
    project: Configuration = options.PROJECT
    messages: Messages = options.MESSAGES
