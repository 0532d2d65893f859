"""Cures of unknown fields: the field that a name of another tool, or a misspelled name, means."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainc.record import Record
from trainc.schema.cures.advice import reason_against_backend
from trainc.schema.cures.aliases import advice, fields_called, has_other_unit, keeps_meaning, reason_to_remove
from trainc.schema.cures.cure import Cure, Put, Shaped, describe_edit, fits, shape_value
from trainc.schema.cures.guess import guess
from trainc.schema.cures.shapes import COMBINED, is_part
from trainc.schema.fields import field_at, paths_by_name, pod_path
from trainc.schema.hints import folded, nearest
from trainc.schema.paths import Path, dotted, is_missing, node_at, pattern, resolve_path
from trainc.source.node import Mapping, Node, Scalar, build_tree


class Group(Record):
    """Unknown fields of a mapping with one cure."""

    names: list[str]
    cure: Cure | None


class _Meaning(Record):
    """Field that unknown ones mean, with their value if it can have that."""

    names: list[str]
    target: Path
    shaped: Shaped | None = None
    certain: bool


def cure_unknown(root: Node, path: Path, names: list[str], known: list[str]) -> list[Group]:
    """Return the cures of the unknown fields of a mapping whose fields are `known`, in the order of the file."""
    mapping = node_at(root, path)
    assert isinstance(mapping, Mapping)
    whole = shape_value(root, path, mapping)
    if whole is not None:
        return [Group(names=names, cure=_replacement(path, path, mapping, whole))]
    groups = _UnknownFields(root, path, mapping, names, known).groups()
    places = {name: place for place, name in enumerate(names)}
    return sorted(groups, key=lambda group: places[group.names[0]])


def _replacement(place: Path, path: Path, old: Node | None, new: Shaped, remove: tuple[Path, ...] = ()) -> Cure:
    """Return the cure of a mapping by another value: that of one entry if the others stay.

    `place` is the mapping that has the mistake.
    """
    put: Put = (new.target, new.value)
    instead = ""
    if new.target[:-1] == path[:-1] and new.target != path:
        remove, instead = (*remove, path), str(path[-1])
    elif new.target == path and isinstance(old, Mapping) and isinstance(new.value, Mapping):
        changed = [key for key, value in new.value.items() if old.get(key) is not value]
        if len(changed) == 1:
            put = ((*path, changed[0]), new.value.entries[changed[0]].value)
            remove += tuple((*path, key) for key in old.entries if key not in new.value.entries)
    help_ = describe_edit(place, put, new.note, instead)
    meant = (put[0], path) if instead else (put[0],)
    return Cure(help=help_, meant=meant, remove=remove, put=put, certain=new.certain)


class _UnknownFields:
    """Unknown fields of one mapping."""

    def __init__(self, root: Node, path: Path, mapping: Mapping, names: list[str], known: list[str]) -> None:
        self.root = root
        self.path = path
        self.mapping = mapping
        self.names = names
        self.known = known
        self.unknown = {(*path, name) for name in names}
        field = field_at(path)
        # Only in a section of the job's language, outside of lists, another section's field can be meant.
        self.is_section = field is not None and not field.is_kubernetes and all(isinstance(step, str) for step in path)

    def groups(self) -> Iterator[Group]:
        """Yield the cures, those that set values in one new section together."""
        meanings: dict[Path, _Meaning] = {}
        for name in self.names:
            value = self.mapping.entries[name].value
            place = pattern(self.path)
            against = reason_against_backend(name, value) if self.is_section else None
            # Another spelling of a field of this very section is no field of other tools.
            is_own = any(folded(field) == folded(name) for field in self.known) or fields_called(name, place)
            is_elsewhere = self.is_section and not is_own
            reason = against or reason_to_remove(name, value, place, is_section=is_elsewhere)
            instead = advice(name, value, place, is_section=is_elsewhere)
            meaning = None if reason or instead else self._meaning(name)
            if reason:
                help_, certain = f"remove it: {reason}", reason is not against and keeps_meaning(reason)
                yield Group(names=[name], cure=Cure(help=help_, remove=((*self.path, name),), certain=certain))
            elif instead:
                yield Group(names=[name], cure=Cure(help=instead))
            elif meaning is None:
                yield Group(names=[name], cure=None)
            elif dotted(meaning.target) in COMBINED and meaning.target in meanings:
                meanings[meaning.target].names.append(name)
            elif meaning.target in meanings:
                yield Group(names=[name], cure=self._superfluous(meaning))
            else:
                meanings[meaning.target] = meaning
        sections: dict[Path, list[_Meaning]] = {}
        for meaning in meanings.values():
            if not is_missing(self.root, meaning.target):
                yield Group(names=meaning.names, cure=self._merged(meaning))
            elif (shaped := self._shaped(meaning)) is None or not is_missing(self.root, shaped.target):
                yield Group(names=meaning.names, cure=self._only_named(meaning))
            else:
                section = self._first_missing(shaped.target)
                sections.setdefault(section, []).append(meaning.replace(shaped=shaped))
        for section, members in sections.items():
            yield from self._moved(section, members)

    def _meaning(self, name: str) -> _Meaning | None:
        for target, certain in self._candidates(name):
            if self._is_possible(target):
                meaning = _Meaning(names=[name], target=target, certain=certain)
                # A misspelled name of a scalar has a value that fits; what is in a mapping may be misspelled, too.
                is_scalar = isinstance(self.mapping.entries[name].value, Scalar)
                needs_value = is_scalar if target[:-1] == self.path else "podTemplate" in target
                if certain or not needs_value or self._shaped(meaning):
                    return meaning
        return None

    def _candidates(self, name: str) -> Iterator[tuple[Path, bool]]:
        """Yield the fields that a name can mean, and whether that is certain."""
        yield from (((*self.path, field), True) for field in self.known if folded(field) == folded(name))
        yield from ((resolve_path(field, self.path), True) for field in fields_called(name, pattern(self.path)))
        if self.is_section:
            yield from ((resolve_path(field, self.path), True) for field in fields_called(name))
        if self.path == ("spec", "resources") and name.startswith("hugepages-"):  # a resource without a domain
            yield (*self.path, "limits", name), True
        near = nearest(name, self.known)
        if near:
            yield (*self.path, near), False
        if self.is_section:
            paths = [resolve_path(field, ()) for field in paths_by_name(name) if "[]" not in field]
            paths = [path for path in paths if (section := field_at(path[:-1])) and not section.is_kubernetes]
            ranked = sorted((self._distance(path), path) for path in paths if self._is_possible(path))
            if ranked and ranked[0][0] not in [distance for distance, _ in ranked[1:]]:
                yield ranked[0][1], False
        in_pod = pod_path(name) if self.is_section or self.path == ("spec", "podTemplate") else None
        if in_pod:
            yield in_pod, False

    def _distance(self, path: Path) -> tuple[int, int]:
        """Return how many sections around a field the document lacks, and how deep it is."""
        return sum(is_missing(self.root, path[:end]) for end in range(1, len(path))), len(path)

    def _is_possible(self, target: Path) -> bool:
        """Return whether there is such a field, and the document can have it beside its other fields."""
        *parent, key = self._first_missing(target)
        section, field = node_at(self.root, tuple(parent)), field_at(tuple(parent))
        if field_at(target) is None or field is None or not isinstance(section, Mapping):
            return False
        return field.allows(str(key), [name for name in section.entries if (*parent, name) not in self.unknown])

    def _first_missing(self, target: Path) -> Path:
        """Return the outermost part of a path that the document lacks, else the path."""
        ends = range(1, len(target) + 1)
        return next((target[:end] for end in ends if is_missing(self.root, target[:end])), target)

    def _shaped(self, meaning: _Meaning) -> Shaped | None:
        """Return the value in the form of the field that is meant; None if the field can't have it."""
        entries = {name: self.mapping.entries[name] for name in meaning.names}
        if dotted(meaning.target) in COMBINED and meaning.names != [meaning.target[-1]]:
            old = node_at(self.root, meaning.target)
            inside = old.entries if isinstance(old, Mapping) else {}
            return shape_value(self.root, meaning.target, Mapping({**inside, **entries}, self.mapping.span))
        name, entry = next(iter(entries.items()))
        if has_other_unit(name, meaning.target, entry.value):
            return None
        if fits(meaning.target, entry.value):
            return Shaped(target=meaning.target, value=entry.value)
        field = field_at(meaning.target)
        intended = guess(entry.value, field.resolved) if field else None
        value = build_tree(intended.value, entry.value.span) if intended and intended.value is not None else None
        guessed = Shaped(target=meaning.target, value=value) if value and fits(meaning.target, value) else None
        return shape_value(self.root, meaning.target, entry.value, name) or guessed

    def _only_named(self, meaning: _Meaning) -> Cure:
        """Return the cure where only the field is known that is meant."""
        beside = meaning.target[:-1] == self.path
        name = str(meaning.target[-1]) if beside else dotted(meaning.target)
        return Cure(help=f"use `{name}`" if meaning.certain else f"did you mean `{name}`?", meant=(meaning.target,))

    def _superfluous(self, meaning: _Meaning) -> Cure:
        is_scalar = all(isinstance(self.mapping.entries[name].value, Scalar) for name in meaning.names)
        if not is_scalar or any(is_part(dotted(meaning.target), name) for name in meaning.names):
            return Cure(help=f"merge it into `{dotted(meaning.target)}`", meant=(meaning.target,))
        remove = tuple((*self.path, name) for name in meaning.names)
        return Cure(help=f"remove it: `{dotted(meaning.target)}` is already set", remove=remove, certain=False)

    def _merged(self, meaning: _Meaning) -> Cure:
        """Return the cure where the document has the field that is meant: arguments are appended to a program."""
        shaped = self._shaped(meaning) if dotted(meaning.target) in COMBINED else None
        if shaped is None:
            is_typo = not meaning.certain and meaning.target[:-1] == self.path
            return self._only_named(meaning) if is_typo else self._superfluous(meaning)
        remove = tuple((*self.path, name) for name in meaning.names)
        return _replacement(self.path, meaning.target, node_at(self.root, meaning.target), shaped, remove)

    def _moved(self, section: Path, members: list[_Meaning]) -> Iterator[Group]:
        """Yield the cure that sets a field, or a new section with all its fields."""
        content: dict[str | int, Any] = {}
        notes = []
        for member in members:
            assert member.shaped is not None
            _insert(content, member.shaped.target[len(section) - 1 :], member.shaped.value)
            notes += [member.shaped.note] if member.shaped.note else []
        names = sorted((name for member in members for name in member.names), key=self.names.index)
        value = build_tree(content[section[-1]], self.mapping.span)
        if not fits(section, value):
            completed = shape_value(self.root, section, value)
            if completed is None:
                yield from (Group(names=member.names, cure=self._only_named(member)) for member in members)
                return
            value, notes = completed.value, [completed.note]
        put, certain = (section, value), all(member.certain and not notes for member in members)
        remove = tuple((*self.path, name) for name in names)
        is_renamed = section[:-1] == self.path and value is self.mapping.get(names[0])
        help_ = describe_edit(self.path, put, "; ".join(notes))
        if is_renamed:
            help_ = f"use `{section[-1]}`" if certain else f"did you mean `{section[-1]}`?"
        meant = tuple(member.shaped.target for member in members if member.shaped)
        yield Group(names=names, cure=Cure(help=help_, meant=meant, remove=remove, put=put, certain=certain))


def _insert(content: dict[str | int, Any], path: Path, value: Node) -> None:
    """Set a value in nested mappings; a list gets one item, the training container."""
    step, *rest = path
    if not rest:
        content[step] = value
    elif isinstance(rest[0], int):
        container = content.setdefault(step, [{"name": "main"}])[0]
        _insert(container, tuple(rest[1:]), value)
    else:
        _insert(content.setdefault(step, {}), tuple(rest), value)
