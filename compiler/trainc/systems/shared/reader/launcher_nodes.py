"""Number of nodes of the launcher in a foreign command line, which overrides the bounds that an operator passes."""

from __future__ import annotations

from trainc.commandline.word import Word, words
from trainc.launchers.find_launchers import calls
from trainc.launchers.node_count import NodeCount, node_count
from trainc.launchers.registry import VARIABLE_PREFIXES
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.pod import TranslatedPod


def launcher_nodes(main: TranslatedPod, entrypoint: str = "") -> NodeCount | None:
    """Return the number of nodes of the launcher that the container certainly starts; None if that isn't known.

    A launcher in a script file is unknown. `entrypoint` is the command of an image whose container has only arguments.
    """
    prefixes = tuple(VARIABLE_PREFIXES.values())  # an operator's variables and arguments override the user's
    env = {name: words([value])[0] for name, value in main.literal_env().items() if not name.startswith(prefixes)}
    before = [Word(text=entrypoint)] if entrypoint and not main.command else []
    launchers = calls([*before, *words([*main.command, *main.args])], {**env}, plugins=True)
    return node_count(launchers[0]) if len(launchers) == 1 else None


def report_unused_bounds(section: ForeignMapping, own: NodeCount) -> None:
    """Report the bounds of an elastic job that nothing scales and whose launcher has bounds of its own."""
    nodes = str(own.fewest) if own.fewest == own.most else f"{own.fewest} to {own.most}"
    nodes += " node" if own.most == 1 else " nodes"
    for name in ("minReplicas", "maxReplicas"):
        if name in section:
            message = f"`{name}` has no effect: nothing scales the job, and its launcher has {nodes} by an option"
            section.report.add_change(message, section.where(name))


def report_unreached_maximum(section: ForeignMapping, workers: int, maximum: int) -> None:
    """Report the maximum of an elastic job that only its user can scale."""
    if "maxReplicas" in section and maximum > workers:
        message = f"nothing scales the job: it has {workers} worker{'s' * (workers > 1)}, as before, until you scale it"
        section.report.add_change(message, section.where("maxReplicas"))
