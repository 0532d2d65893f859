"""`ignores`: warnings and notes that are not reported, by code and path, until a date."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterable, Iterator

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, note
from trainc.diagnostics.silence import matches_code
from trainc.project.paths import matches, steps_below
from trainc.record import Record
from trainc.source.node import Node, Sequence, mappings, scalar_text
from trainc.span import Place, Span, Text

# https://reproducible-builds.org/specs/source-date-epoch/
DATE_VARIABLE = "SOURCE_DATE_EPOCH"
_SHOWN = 40  # characters of a wrong value in a message


class Ignore(Record):
    """Entry of `ignores`; `where` is the position of `until`, an ISO date, if it has one."""

    codes: list[Text]
    paths: list[Text]
    until: str
    owner: str
    where: Span

    def concerns(self, diagnostic: Diagnostic, file: str, folder: str) -> bool:
        """Return whether the entry names the code and the file, relative to a folder."""
        return bool(self.matching_words(diagnostic, file, folder))

    def matching_words(self, diagnostic: Diagnostic, file: str, folder: str) -> list[Text]:
        """Return the codes and the paths of the entry that match, none if it does not concern the diagnostic."""
        matching_codes = [each for each in self.codes if matches_code(diagnostic.code, [each])]
        if not matching_codes or not self.paths:
            return matching_codes
        path = steps_below(folder, file)
        below = [each for each in self.paths if matches(path, each)]
        return [*matching_codes, *below] if below else []


def read_ignores(node: Node | None) -> list[Ignore]:
    """Return the entries of a valid list."""
    return [
        Ignore(
            codes=texts(entry.get("codes")),
            paths=texts(entry.get("paths")),
            until=scalar_text(entry.get("until")),
            owner=scalar_text(entry.get("owner")),
            where=entry.where("until"),
        )
        for entry in mappings(node)
    ]


def used_words(diagnostic: Diagnostic, file: str, folder: str, ignores: list[Ignore]) -> set[Place]:
    """Return the positions of the codes and paths of entries that match a diagnostic of a file."""
    return {word.span.place for each in ignores for word in each.matching_words(diagnostic, file, folder)}


def unused_words(ignores: Iterable[Ignore], used: set[Place]) -> Iterator[Diagnostic]:
    """Yield a note for each entry that matches no finding, and for each code and path of other entries that doesn't."""
    for entry in ignores:
        if all(each.span.place not in used for each in entry.codes):
            message = "this entry of `ignores` matches no finding"
            yield note(codes.UNUSED_IGNORE, message, entry.codes[0].span, help="remove the entry")
            continue
        for word in (*entry.codes, *entry.paths):
            if word.span.place not in used:
                message = f"`{word}` matches no finding of this entry"
                yield note(codes.UNUSED_IGNORE, message, word.span, help="remove it")


def texts(node: Node | None) -> list[Text]:
    """Return the items of a list as typed; none for anything else."""
    return [Text(scalar_text(item), item.span) for item in node.items] if isinstance(node, Sequence) else []


def ignored(diagnostic: Diagnostic, file: str, folder: str, ignores: list[Ignore], today: str) -> Diagnostic | None:
    """Return a warning or note that no entry ignores, with a note about entries that have ended.

    Errors stay, but for violations of the policy, which an entry with an owner and an end may excuse.
    """
    is_error = diagnostic.severity == "error"
    if is_error and diagnostic.code not in codes.POLICY:
        return diagnostic
    concerned = [each for each in ignores if each.concerns(diagnostic, file, folder)]
    concerned = [each for each in concerned if each.until and each.owner] if is_error else concerned
    if any(not each.until or today <= each.until for each in concerned):
        return None
    ended = tuple(Related(span=each.where, text=_ended(each)) for each in concerned)
    return diagnostic.replace(related=(*diagnostic.related, *ended)) if ended else diagnostic


def _ended(entry: Ignore) -> str:
    owner = f" of {entry.owner}" if entry.owner else ""
    return f"the ignore{owner} ended on {entry.until}"


def today() -> str:
    """Return the date in UTC, by the variable SOURCE_DATE_EPOCH if it is set. Raises ValueError if that is invalid."""
    epoch = os.environ.get(DATE_VARIABLE)
    if epoch is None:
        return datetime.datetime.now(datetime.UTC).date().isoformat()
    try:
        if not (epoch.isascii() and epoch.isdigit()):  # int() reads ` 1_0`, too
            raise ValueError
        return datetime.datetime.fromtimestamp(int(epoch), datetime.UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        short = epoch if len(epoch) <= _SHOWN else f"{epoch[: _SHOWN - 1]}…"
        raise ValueError(f"{short!r} is not a number of seconds") from None


def is_date(text: str) -> bool:
    """Return whether a text is a day of the calendar."""
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        return False
    return True
