"""Search of `trainc explain` for a word that is no subject: in codes, fields, topics, systems and options."""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from inspect import cleandoc

from trainc.cli.commands import COMMANDS, load
from trainc.cli.commands.explain.system_pages import system_title
from trainc.cli.parameters import parameters
from trainc.diagnostics.cells import visible
from trainc.diagnostics.codes import Code
from trainc.pages import all_codes, page, topic, topics
from trainc.record import Record
from trainc.schema.cures.aliases import advice_elsewhere
from trainc.schema.fields import field, paths
from trainc.schema.hints import similar
from trainc.systems.registry import READABLE

_SHOWN = 12
_BEFORE, _AFTER = 20, 200  # characters of an excerpt around a word
_WORD = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)*")
_CUTOFF = 0.75  # similarity of a misspelled word
_PREFIX = 3  # letters of the beginning of a longer word: hang, hanging
_NAME, _TITLE, _TEXT, _BODY = 8, 5, 3, 1  # weights of the parts of an entry


class Entry(Record):
    """Subject of `trainc explain`, or a command line with `trainc`: one line about it, and all its texts."""

    subject: str
    title: str
    texts: tuple[tuple[int, str], ...]

    def score(self, words: list[str]) -> tuple[int, float]:
        """Return how many of the words the texts have, and how prominently."""
        scores = [max((weight * _share(word, text) for weight, text in self.texts), default=0) for word in words]
        phrase = max((weight for weight, text in self.texts if " ".join(words) in text.lower()), default=0)
        return sum(score > 0 for score in scores), sum(scores) + phrase

    def excerpt(self, words: list[str]) -> str:
        """Return the place of a text with the first of the words that the title lacks; empty if it has all."""
        missing = next((word for word in words if not _share(word, self.title)), None)
        for _, text in self.texts if missing else ():
            prose = " ".join(re.sub(r"^```.*?^```|^#+ |[`*]", "", text, flags=re.MULTILINE | re.DOTALL).split())
            match = re.search(rf"\b{missing}", prose, re.IGNORECASE)
            if match is not None and " " in prose:
                start = prose.rfind(" ", 0, max(match.start() - _BEFORE, 0)) + 1
                return f"{'… ' if start else ''}{prose[start : match.start() + _AFTER]}"
        return ""


def search(query: str, plugins: Mapping[Code, str]) -> str:
    """Return the entries about a query, the best first, for a terminal; empty if there are none."""
    words = _words(query)
    scored = [(entry.score(words), entry) for entry in _entries(plugins)] if words else []
    most = max((matched for (matched, _), _ in scored), default=0)
    hits = [(score, entry) for (matched, score), entry in scored if matched == most > 0]
    hits.sort(key=lambda hit: -hit[0])
    cures = list(advice_elsewhere(query))
    if not hits and not cures:
        return ""
    shown = visible(query)
    lines = [textwrap.fill(f"`{shown}` in `{place}` of a job file: {cure}.", _width()) for place, cure in cures]
    lines += [""] if cures else []
    lines += [f"`trainc explain SUBJECT` about `{shown}`:", ""] if hits else []
    lines += [line for _, entry in hits[:_SHOWN] for line in _lines(entry, words)]
    lines += [f"  and {len(hits) - _SHOWN} more: add a word to the search"] if len(hits) > _SHOWN else []
    return "\n".join([*lines, *([""] if hits else [])])


def nearest_word(query: str, plugins: Mapping[Code, str]) -> str | None:
    """Return the word of the texts that was probably intended."""
    texts = {word for entry in _entries(plugins) for _, text in entry.texts for word in _words(text)}
    return similar(query.lower(), [word for word in texts if word.isalpha()], _CUTOFF)


def no_result(query: str, plugins: Mapping[Code, str]) -> str:
    """Return what a search without a result went through, and the nearest word."""
    count, near = len(all_codes()) + len(plugins), nearest_word(query, plugins)
    hint = f"did you mean {near}?" if near else "`trainc explain` lists codes and topics, `trainc explain spec` fields"
    return f"in none of {count} codes, {len(paths())} fields, {len(topics())} topics, the systems and options: {hint}"


def _words(text: str) -> list[str]:
    words = _WORD.findall(text.lower())
    return [word for word in words if len(word) >= _PREFIX] or words


def _share(word: str, text: str) -> float:
    """Return whether a text has a word: 1 if so, less if only as the beginning of a longer word."""
    words = _WORD.findall(text.lower())
    if word in words:
        return 1
    parts = (part for each in words for part in (each, *each.split("_")))
    return 0.6 if len(word) >= _PREFIX and any(part.startswith(word) for part in parts) else 0


def _lines(entry: Entry, words: list[str]) -> Iterator[str]:
    for indent, text in (("  ", f"{entry.subject}: {entry.title}"), ("    ", entry.excerpt(words))):
        if text:
            yield indent + textwrap.shorten(text, _width() - len(indent), placeholder=" …")


def _width() -> int:
    return min(shutil.get_terminal_size().columns, 100)


def _entries(plugins: Mapping[Code, str]) -> Iterator[Entry]:
    for code in all_codes():
        if code.has_page:
            own = page(code)
            yield _entry(code.id, own.title, code.name, texts=((_TEXT, own.why), (_BODY, own.body)))
    for code, text in plugins.items():
        yield _entry(code.id, next(iter(cleandoc(text).splitlines()), code.name), code.name, texts=((_TEXT, text),))
    for name in topics():
        title, _, body = topic(name).partition("\n")
        yield _entry(name, title.lstrip("# "), name, texts=((_TEXT, body),))
    yield from _fields(paths())
    for system in READABLE:
        yield _entry(system.name, system_title(system), system.name)
    for name in COMMANDS:
        for each in parameters(load(name)).values():
            if each.flags:
                yield _entry(f"trainc {name} {each.flags[0]}", each.help, " ".join(each.flags))


def _fields(names: Iterable[str]) -> Iterator[Entry]:
    """Yield the fields, those with one description once."""
    seen = set[str]()
    for name in names:
        described = field(name)
        if described.description and described.description not in seen:
            seen.add(described.description)
            split = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", described.name)
            yield _entry(name, described.description, described.name, split)


def _entry(subject: str, title: str, *names: str, texts: tuple[tuple[int, str], ...] = ()) -> Entry:
    """Return an entry whose names and title are texts, too."""
    all_texts = (*((_NAME, name) for name in names), (_TITLE, title), *texts)
    return Entry(subject=subject, title=title, texts=all_texts)
