"""Events about a job's objects. The API server deletes them, by default after an hour."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime

from trainc.plan.fields import Object, mapping, number, text
from trainc.record import Record
from trainc.status.times import timestamp

KIND = "Event"
LIFETIME = 3600  # seconds, --event-ttl of kube-apiserver
_UNKNOWN = datetime.min.replace(tzinfo=UTC)


class Event(Record):
    """Event about an object; `time` is that of the last of `count` occurrences."""

    kind: str
    name: str
    uid: str
    reason: str
    message: str
    count: int
    time: datetime | None


class Events:
    """Events by the object that they are about."""

    def __init__(self, objects: Iterable[Object]) -> None:
        self._about: dict[tuple[str, str], list[Event]] = {}
        for event in sorted(map(_event, objects), key=lambda event: event.time or _UNKNOWN):
            self._about.setdefault((event.kind, event.name), []).append(event)
        self._pods: dict[str, set[str]] = {}
        for kind, name in self._about:
            if kind == "Pod":
                for worker in (name, name.rpartition("-")[0]):
                    self._pods.setdefault(worker, set()).add(name)

    def __bool__(self) -> bool:
        return bool(self._about)

    def about(self, kind: str, name: str, uid: str = "") -> list[Event]:
        """Return the events about an object, the newest last. Without a uid on both sides the name decides."""
        events = self._about.get((kind, name), [])
        return [event for event in events if not uid or not event.uid or event.uid == uid]

    def about_pods(self, worker: str) -> list[Event]:
        """Return the events about pods with this name, or with it and a suffix, the oldest first."""
        return sorted(
            (event for name in self._pods.get(worker, ()) for event in self._about["Pod", name]),
            key=lambda event: event.time or _UNKNOWN,
        )

    def last(self, kind: str, name: str, uid: str, reasons: str) -> Event | None:
        """Return the newest event about an object whose reason matches a pattern."""
        return next(
            (event for event in reversed(self.about(kind, name, uid)) if re.fullmatch(reasons, event.reason)), None
        )


def _event(event: Object) -> Event:
    """Read an event of the core API or of events.k8s.io, which calls some fields otherwise."""
    about = mapping(event, "involvedObject") or mapping(event, "regarding")
    fields = ("lastTimestamp", "deprecatedLastTimestamp", "eventTime", "firstTimestamp")
    times = [timestamp(event, "series", "lastObservedTime"), *(timestamp(event, field) for field in fields)]
    counts = (number(event, *path) for path in (("series", "count"), ("count",), ("deprecatedCount",)))
    return Event(
        kind=text(about, "kind"),
        name=text(about, "name"),
        uid=text(about, "uid"),
        reason=text(event, "reason"),
        message=text(event, "message") or text(event, "note"),
        count=next(filter(None, counts), 1),
        time=next((time for time in times if time is not None), None),
    )
