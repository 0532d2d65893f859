"""Layout of the picture: columns of controllers, pods, Services and servers, and volumes below."""

from __future__ import annotations

from collections import Counter

from trainc.plan.formats.graph import Box, Graph
from trainc.record import Record

MARGIN, GAP = 40, 22
OWNERS, PODS, SERVICES, SERVERS = 200, 322, 240, 210  # widths of the columns
BETWEEN = 118  # columns, for the arrows
VOLUME_WIDTH = 216
MIN_WIDTH = 1040  # of the whole picture
CARD, POD, VOLUME = 72, 130, 72  # heights of the boxes
HEAD = 42  # height of the title of the frame around the workers


class Place(Record):
    """Box with its position and size."""

    box: Box
    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """Lower edge."""
        return self.y + self.height

    @property
    def middle(self) -> float:
        """Vertical middle."""
        return self.y + self.height / 2


class Layout(Record):
    """Boxes by id, the frames around the workers and around several rows of volumes, and the size of the picture."""

    places: dict[str, Place]
    frame: tuple[float, float, float, float]
    shelf: tuple[float, float, float, float] | None
    width: float
    bottom: float


def layout(graph: Graph, top: float) -> Layout:
    """Place each box below `top`."""
    kinds: dict[str, list[Box]] = {"owner": [], "pods": [], "server": [], "service": [], "volume": []}
    for box in graph.boxes:
        kind = "server" if box.id.startswith("server") else "service" if box.kind == "external" else box.kind
        kinds[kind].append(box)
    resolved = Counter(edge.start for edge in graph.edges if edge.kind == "resolves")
    kinds["service"].sort(key=lambda box: (not box.is_rendezvous, resolved[box.id]))
    left = MARGIN + OWNERS + BETWEEN if kinds["owner"] else MARGIN
    pods = kinds["pods"]
    inner = HEAD + len(pods) * (POD + GAP)
    outer = max(inner, *(len(kinds[kind]) * (CARD + GAP) for kind in ("service", "owner", "server")))
    frame_y = top + (outer - inner) / 2
    places: dict[str, Place] = {}
    for number, box in enumerate(pods):
        y = frame_y + HEAD + number * (POD + GAP)
        places[box.id] = Place(box=box, x=left + 18, y=y, width=PODS - 36, height=POD)
    _column(kinds["owner"], MARGIN, OWNERS, top, outer, places)
    x = left + PODS + BETWEEN
    _column(kinds["service"], x, SERVICES, top, outer, places)
    _column(kinds["server"], x + SERVICES + BETWEEN * 0.7, SERVERS, top, outer, places)
    width = max([left + PODS, *(place.right for place in places.values())]) + MARGIN
    shelf = _volumes(kinds["volume"], left + PODS / 2, max(width, MIN_WIDTH), top + outer + 64, places)
    width = max([width, *(place.right + MARGIN for place in places.values())])
    bottom = max([top + outer, *(place.bottom for place in places.values())])
    return Layout(places=places, frame=(left, frame_y, PODS, inner), shelf=shelf, width=width, bottom=bottom)


def _volumes(
    boxes: list[Box], middle: float, width: float, y: float, places: dict[str, Place]
) -> tuple[float, float, float, float] | None:
    """Place volumes in rows below the pods; return the frame around them if there are several rows."""
    step = VOLUME_WIDTH + GAP
    per_row = min(len(boxes), max(1, int((width - 2 * MARGIN + GAP) // step)))
    whole = per_row * step - GAP
    start = max(MARGIN, min(middle - whole / 2, width - MARGIN - whole))
    for number, box in enumerate(boxes):
        row, column = divmod(number, per_row)
        x = start + column * step
        places[box.id] = Place(box=box, x=x, y=y + row * (VOLUME + GAP), width=VOLUME_WIDTH, height=VOLUME)
    if len(boxes) <= per_row:
        return None
    rows = -(-len(boxes) // per_row)
    return start - 14, y - 14, whole + 28, rows * (VOLUME + GAP) - GAP + 28


def _column(boxes: list[Box], x: float, width: float, top: float, height: float, places: dict[str, Place]) -> None:
    """Place boxes one above the other, in the middle of the height."""
    own = len(boxes) * (CARD + GAP) - GAP
    for number, box in enumerate(boxes):
        y = top + (height - own) / 2 + number * (CARD + GAP)
        places[box.id] = Place(box=box, x=x, y=y, width=width, height=CARD)
