"""`config.run` of a DeepSpeedJob: the program and its arguments."""

from __future__ import annotations

import shlex

from trainc.schema.hints import intended_value
from trainc.source.node import Scalar
from trainc.span import Text
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.t9k.reader import correct_names

KINDS = ("python", "module", "exec")


def read_run(section: ForeignMapping) -> tuple[str, list[Text]] | None:
    """The kind and the words, None when nothing is given."""
    run = correct_names(section.section("run"), *KINDS)
    if run is None:
        return None
    found = {kind: _words(run, kind) for kind in KINDS if kind in run}
    given = {kind: words for kind, words in found.items() if words}
    if len(given) > 1:
        first, second, *_ = given
        message = f"only one of {', '.join(KINDS)} can be given"
        section.report.add_error(message, run.key(second).span, help=f"leave out {first} or {second}")
    return next(iter(given.items()), None)


def _words(run: ForeignMapping, kind: str) -> list[Text]:
    """A list; a text is read as one, too."""
    node = run.node.get(kind)
    if not isinstance(node, Scalar):
        return run.strings(kind) or []
    run.consume(kind)
    hint = intended_value(node, "a list of strings")
    run.report.add_correction(f"`{run.path_of(kind)}` must be a list of strings", node.span, hint)
    try:
        words = shlex.split(node.text)
    except ValueError:
        words = [node.text]
    return [Text(word, node.span) for word in words]
