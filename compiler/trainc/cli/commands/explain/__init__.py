"""`trainc explain`."""

from __future__ import annotations

from trainc.cli import options
from trainc.cli.parameters import InvalidParameter, argument, option
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.messages import Messages
    from trainc.cli.settings import Configuration


def command(
    subject: str | None = argument(
        None,
        metavar="[SUBJECT]",
        help="A code, a field such as spec.elastic, a topic, or a word to search; with --manifest the job file.",
        completion="subjects",
    ),
    manifest: str | None = option(
        None, "--manifest", metavar="FILE:LINE", help="Explain where a line of a manifest comes from."
    ),
    source_map: str | None = option(
        None,
        "--source-map",
        metavar="FILE",
        help="Source map of the manifest.  [default: a *.map next to it, or SUBJECT is compiled]",
    ),
    project: Configuration = options.PROJECT,
    messages: Messages = options.MESSAGE_FORMAT,
) -> int:
    """Explain a code, a field, a topic or a manifest line.

    Without SUBJECT, list them. Example: trainc explain TC3003
    """
    if manifest is not None:
        if source_map is not None and subject is not None:
            raise InvalidParameter("a job file and --source-map conflict", "SUBJECT")
        from trainc.cli.commands.explain.manifest_line import explain_line

        return explain_line(manifest, source_map, subject, project)
    if source_map is not None:
        raise InvalidParameter("requires --manifest", "--source-map")
    from trainc.cli.commands.explain.subject_pages import explain_subject

    return explain_subject(subject, project)
