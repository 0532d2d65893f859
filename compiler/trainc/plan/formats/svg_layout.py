"""Layout of the picture: columns of controllers and launchers, pods, Services and servers, and volumes below."""

from __future__ import annotations

from collections import Counter

from trainc.plan.formats.graph import LAUNCHER, Box, Graph
from trainc.record import Record

MARGIN, GAP = 40, 22
OWNERS, PODS, SERVICES, SERVERS = 200, 322, 240, 210  # widths of the columns
BETWEEN = 118  # columns, for the arrows
VOLUME_WIDTH = 216
MIN_WIDTH = 1040  # of the whole picture
CARD, POD = 72, 130  # heights of the boxes
HEAD = 42  # height of the title of the frame around the workers


class Frame(Record):
    """Rectangle."""

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
    def center(self) -> float:
        """Horizontal middle."""
        return self.x + self.width / 2

    @property
    def middle(self) -> float:
        """Vertical middle."""
        return self.y + self.height / 2


class Place(Frame):
    """Box with its position and size."""

    box: Box


class Layout(Record):
    """Boxes by id, the frames around the workers and around several rows of volumes, and the size of the picture."""

    places: dict[str, Place]
    frame: Frame
    shelf: Frame | None
    width: float
    bottom: float


def layout(graph: Graph, top: float) -> Layout:
    """Place each box below `top`."""
    kinds: dict[str, list[Box]] = {"owner": [], "pods": [], "server": [], "service": [], "volume": []}
    for box in graph.boxes:
        kind = "server" if box.id.startswith("server") else "service" if box.kind == "external" else box.kind
        kind = "owner" if box.id.startswith(LAUNCHER) else kind
        kinds[kind].append(box)
    resolved = Counter(edge.start for edge in graph.edges if edge.kind == "resolves")
    kinds["service"].sort(key=lambda box: (not box.is_rendezvous, resolved[box.id]))
    left: float = MARGIN + OWNERS + BETWEEN if kinds["owner"] else MARGIN
    inner = HEAD + len(kinds["pods"]) * (POD + GAP)
    outer = max(inner, *(len(kinds[kind]) * (CARD + GAP) for kind in ("service", "owner", "server")))
    frame = Frame(x=left, y=top + (outer - inner) / 2, width=PODS, height=inner)
    places = _column(kinds["pods"], left + 18, frame.y + HEAD, PODS - 36, POD)
    x = left + PODS + BETWEEN
    servers_x = x + SERVICES + BETWEEN * 0.7
    for boxes, left, width in (
        (kinds["owner"], MARGIN, OWNERS),
        (kinds["service"], x, SERVICES),
        (kinds["server"], servers_x, SERVERS),
    ):
        height = len(boxes) * (CARD + GAP) - GAP
        places += _column(boxes, left, top + (outer - height) / 2, width, CARD)
    right = max([frame.right, *(place.right for place in places)]) + MARGIN
    volumes, shelf = _volumes(kinds["volume"], frame.center, max(right, MIN_WIDTH), top + outer + 64)
    places += volumes
    return Layout(
        places={place.box.id: place for place in places},
        frame=frame,
        shelf=shelf,
        width=max([right, *(place.right + MARGIN for place in volumes)]),
        bottom=max([top + outer, *(place.bottom for place in places)]),
    )


def _volumes(boxes: list[Box], middle: float, width: float, y: float) -> tuple[list[Place], Frame | None]:
    """Place volumes in rows below the pods; several rows have a frame around them."""
    step = VOLUME_WIDTH + GAP
    per_row = min(len(boxes), max(1, int((width - 2 * MARGIN + GAP) // step)))
    whole = per_row * step - GAP
    x = max(MARGIN, min(middle - whole / 2, width - MARGIN - whole))
    places = []
    for number, box in enumerate(boxes):
        row, column = divmod(number, per_row)
        places += _column([box], x + column * step, y + row * (CARD + GAP), VOLUME_WIDTH, CARD)
    if len(boxes) <= per_row:
        return places, None
    return places, Frame(x=x - 14, y=y - 14, width=whole + 28, height=places[-1].bottom - y + 28)


def _column(boxes: list[Box], x: float, y: float, width: float, height: float) -> list[Place]:
    step = height + GAP
    return [Place(box=box, x=x, y=y + row * step, width=width, height=height) for row, box in enumerate(boxes)]
