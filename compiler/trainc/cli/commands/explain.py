"""Options of `trainc explain`."""

from __future__ import annotations

from trainc.cli import options
from trainc.cli.parameters import argument
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.messages import Messages


def command(
    subject: str | None = argument(
        None,
        metavar="[SUBJECT]",
        help="A diagnostic code, a field such as spec.elastic, or a topic.",
        completion="subjects",
    ),
    messages: Messages = options.MESSAGE_FORMAT,
) -> int:
    """Explain a diagnostic code, a field or a topic.

    Without SUBJECT, list them. Example: trainc explain TC3003
    """
    from trainc.cli.explain import explain as shown

    return shown(subject)
