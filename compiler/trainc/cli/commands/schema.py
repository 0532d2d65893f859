"""`trainc schema`."""

from __future__ import annotations

from trainc.cli.exit_codes import OK
from trainc.cli.options import MESSAGE_FORMAT
from trainc.cli.parameters import argument
from trainc.cli.streams import to_stdout
from trainc.record import Record
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.messages import Messages

_FILES = ("job", "project", "cluster")
_OUTPUTS = ("messages", "plan", "status", "diff", "diff-summary", "rehearsal", "list", "source-map")


class Options(Record):
    """Print the JSON Schema of a file or of JSON output.

    job, project, cluster (draft-07): job files, trainc.yaml, and entries of clusters. The others are in draft 2020-12.

    messages: of --message-format json. plan, status, diff, rehearsal, list: of --format json. diff-summary: of diff
    --summary --format json. source-map: of compile --source-map.
    """

    document: str = argument(_FILES[0], metavar="[DOCUMENT]", choices=(*_FILES, *_OUTPUTS), help="What it describes.")
    messages: Messages = MESSAGE_FORMAT


def print_schema(options: Options) -> int:
    """Print the schema; return the exit code."""
    from trainc.schema.bundle import published_schema

    to_stdout(published_schema(options.document))
    return OK
