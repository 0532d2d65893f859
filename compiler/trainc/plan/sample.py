"""Sample of a controller's pods, since most differ in their index only: the pods that a plan computes."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator

from trainc.plan.fields import Object

MAX_PODS = 20_000  # that a plan computes one by one
FIRST, _LAST = 64, 8  # pods of a controller that are in every sample


class Sample:
    """Choice of pods: all of up to 128, else the first, the last and those whose numbers the manifests mention.

    A chosen pod represents those up to the next one, which differ in their index only.
    """

    def __init__(self, objects: list[Object]) -> None:
        mentioned = {int(digits) for digits in re.findall(r"\d{1,9}", json.dumps(objects, default=str))}
        # In the order of text, as c10d sorts addresses, the last number is 9, 99, 999, ... or the highest.
        self._numbers = {*mentioned, *(10**digits - 1 for digits in range(1, 10))}

    def indexes(self, start: int, count: int, changes: Collection[int] = ()) -> Iterator[tuple[int, int]]:
        """Yield the chosen ones of `count` indexes from `start` on, each with the number of pods that it represents.

        The pods at `changes` differ from those before them.
        """
        end = start + count
        if count <= 2 * FIRST:
            chosen = set(range(start, end))
        else:
            chosen = {*range(start, start + FIRST), *range(end - _LAST, end)}
            # A number is that of a pod, or of how many precede one that differs: from 0, or from the start.
            near = {each + first + offset for each in self._numbers for first in (0, start) for offset in (-1, 0)}
            chosen |= {number for number in (*near, *changes) if start <= number < end}
        previous = start
        for index in sorted(chosen):
            if previous < index:
                yield previous, index - previous
            yield index, 1
            previous = index + 1


class EveryPod(Sample):
    """Choice of all pods, up to a limit."""

    def indexes(self, start: int, count: int, changes: Collection[int] = ()) -> Iterator[tuple[int, int]]:
        """Yield all indexes."""
        yield from ((index, 1) for index in range(start, start + min(count, MAX_PODS)))


EVERY_POD = EveryPod([])


class UnpredictablePodsError(Exception):
    """A property of the sampled pods does not follow from their indexes: all pods must be computed."""
