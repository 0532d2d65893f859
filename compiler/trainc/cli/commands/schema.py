"""`trainc schema`."""

from __future__ import annotations

from trainc.cli import options
from trainc.cli.exit_codes import OK
from trainc.cli.parameters import argument
from trainc.cli.streams import to_stdout
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.messages import Messages

_FILES = ("job", "project", "cluster")
_OUTPUTS = ("messages", "plan", "status", "diff", "diff-summary", "rehearsal", "list", "source-map")


def command(
    document: str = argument(_FILES[0], metavar="[DOCUMENT]", choices=(*_FILES, *_OUTPUTS), help="What it describes."),
    messages: Messages = options.MESSAGE_FORMAT,
) -> int:
    """Print the JSON Schema of a file or of JSON output.

    job, project, cluster (draft-07): job files, trainc.yaml, and entries of clusters. The others are in draft 2020-12.

    messages: of --message-format json. plan, status, diff, rehearsal, list: of --format json. diff-summary: of diff
    --summary --format json. source-map: of compile --source-map.
    """
    from trainc.schema.bundle import published_schema

    to_stdout(published_schema(document))
    return OK
