"""Where each box of a picture stands: who makes the pods, the pods, their names, and below what they mount."""

from __future__ import annotations

from trainc.plan.formats.graph import Box, Graph
from trainc.record import Record

MARGIN, GAP = 40, 22
LEFT, PODS, NAMES, SERVERS = 200, 322, 240, 210  # widths of the columns
BETWEEN = 118
WIDE = 216  # a volume
LEAST = 1040  # of all
CARD, POD, VOLUME = 72, 130, 72  # heights
HEAD = 42  # of the frame around the workers


class Place(Record):
    """A box and where it is."""

    box: Box
    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Its right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return self.y + self.height

    @property
    def middle(self) -> float:
        """Half-way down."""
        return self.y + self.height / 2


class Layout(Record):
    """All boxes by their ids, the frames around the workers and around many volumes, and the size of it all."""

    places: dict[str, Place]
    frame: tuple[float, float, float, float]
    shelf: tuple[float, float, float, float] | None
    width: float
    bottom: float


def layout(found: Graph, top: float) -> Layout:
    """A place for each box, below `top`."""
    kinds: dict[str, list[Box]] = {"owner": [], "pods": [], "server": [], "service": [], "volume": []}
    for box in found.boxes:
        kind = "server" if box.id.startswith("server") else "service" if box.kind == "outside" else box.kind
        kinds[kind].append(box)
    leads = {box.id: sum(edge.kind == "names" and edge.start == box.id for edge in found.edges) for box in found.boxes}
    kinds["service"].sort(key=lambda box: (not box.meeting, leads[box.id]))
    left = MARGIN + LEFT + BETWEEN if kinds["owner"] else MARGIN
    pods = kinds["pods"]
    inner = HEAD + sum(POD + GAP for _ in pods)
    outer = max(inner, *(len(kinds[kind]) * (CARD + GAP) for kind in ("service", "owner", "server")))
    frame_y = top + (outer - inner) / 2
    places: dict[str, Place] = {}
    for number, box in enumerate(pods):
        y = frame_y + HEAD + number * (POD + GAP)
        places[box.id] = Place(box=box, x=left + 18, y=y, width=PODS - 36, height=POD)
    _column(kinds["owner"], MARGIN, LEFT, top, outer, places)
    names = left + PODS + BETWEEN
    _column(kinds["service"], names, NAMES, top, outer, places)
    _column(kinds["server"], names + NAMES + BETWEEN * 0.7, SERVERS, top, outer, places)
    width = max([left + PODS, *(place.right for place in places.values())]) + MARGIN
    shelf = _volumes(kinds["volume"], left + PODS / 2, max(width, LEAST), top + outer + 64, places)
    width = max([width, *(place.right + MARGIN for place in places.values())])
    bottom = max([top + outer, *(place.bottom for place in places.values())])
    return Layout(places=places, frame=(left, frame_y, PODS, inner), shelf=shelf, width=width, bottom=bottom)


def _volumes(
    boxes: list[Box], middle: float, width: float, y: float, places: dict[str, Place]
) -> tuple[float, float, float, float] | None:
    """In rows below the pods; of more than one row, the frame around them."""
    step = WIDE + GAP
    each = min(len(boxes), max(1, int((width - 2 * MARGIN + GAP) // step)))
    whole = each * step - GAP
    start = max(MARGIN, min(middle - whole / 2, width - MARGIN - whole))
    for number, box in enumerate(boxes):
        row, column = divmod(number, each)
        x = start + column * step
        places[box.id] = Place(box=box, x=x, y=y + row * (VOLUME + GAP), width=WIDE, height=VOLUME)
    if len(boxes) <= each:
        return None
    rows = -(-len(boxes) // each)
    return start - 14, y - 14, whole + 28, rows * (VOLUME + GAP) - GAP + 28


def _column(boxes: list[Box], x: float, width: float, top: float, height: float, places: dict[str, Place]) -> None:
    """One above the other, in the middle of the height."""
    own = len(boxes) * (CARD + GAP) - GAP
    for number, box in enumerate(boxes):
        y = top + (height - own) / 2 + number * (CARD + GAP)
        places[box.id] = Place(box=box, x=x, y=y, width=width, height=CARD)
