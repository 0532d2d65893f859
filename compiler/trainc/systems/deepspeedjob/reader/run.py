"""Read `config.run` of a DeepSpeedJob: the program and its arguments."""

from __future__ import annotations

import shlex

from trainc.schema.hints import intended_value
from trainc.source.node import Scalar
from trainc.span import Text
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.t9k.reader import correct_names

KINDS = ("python", "module", "exec")


def read_run(section: ForeignMapping) -> tuple[str, list[Text]] | None:
    """Return the kind of program and its words, or None if there is no program."""
    run = correct_names(section.section("run"), *KINDS)
    if run is None:
        return None
    fields = {kind: _words(run, kind) for kind in KINDS if kind in run}
    programs = {kind: words for kind, words in fields.items() if words}
    if len(programs) > 1:
        first, second, *_ = programs
        message = f"only one of {', '.join(KINDS)} can be set"
        section.report.add_error(message, run.key(second).span, help=f"remove {first} or {second}")
    return next(iter(programs.items()), None)


def _words(run: ForeignMapping, kind: str) -> list[Text]:
    """Return a list of words; a string is split, with a warning."""
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
