"""`trainc explain`."""

from __future__ import annotations

from trainc.cli import options
from trainc.cli.parameters import argument, option
from trainc.record import Record
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.messages import Messages
    from trainc.cli.settings import Configuration


class Options(Record):
    """Explain a code, a field, a topic or a manifest line.

    Without SUBJECT, list them. Example: trainc explain TC3003
    """

    subject: str | None = argument(
        None,
        metavar="[SUBJECT]",
        help="A code, a field such as spec.elastic, a topic, or a word to search; with --manifest the job file.",
        completion="subjects",
    )
    manifest: str | None = option(
        None, "--manifest", metavar="FILE:LINE", help="Explain where a line of a manifest comes from."
    )
    source_map: str | None = option(
        None,
        "--source-map",
        metavar="FILE",
        help="Source map of the manifest.  [default: a *.map next to it, or SUBJECT is compiled]",
    )
    project: Configuration = options.PROJECT
    messages: Messages = options.MESSAGE_FORMAT
