"""Options of `trainc explain`."""

from __future__ import annotations

from trainc.cli.parameters import argument


def command(
    subject: str | None = argument(
        None,
        metavar="[SUBJECT]",
        help="A diagnostic code, a field such as spec.elastic, or a topic.",
        completion="subjects",
    ),
) -> int:
    """Explain a diagnostic code, a field or a topic.

    Without SUBJECT, list them. Example: trainc explain TC3003
    """
    from trainc.cli.explain import explain as shown

    return shown(subject)
