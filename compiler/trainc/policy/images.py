"""References of container images, and the registries that contain them.

The grammar is that of https://github.com/distribution/reference/blob/v0.6.0/reference.go; the names of Docker Hub are
completed as in normalize.go there, as container runtimes do.
"""

from __future__ import annotations

import re

from trainc.record import Record

LATEST = "latest"
_HUB = "docker.io"
_HUB_ALIASES = ("index.docker.io", "registry-1.docker.io")
_LABEL = r"(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])"
_HOST = re.compile(rf"(?:{_LABEL}(?:\.{_LABEL})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?")
_STEP = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_PATH = re.compile(rf"{_STEP}(?:/{_STEP})*")
_REST = re.compile(
    r"(?P<name>[^:@]+)(?::(?P<tag>\w[\w.-]{0,127}))?(?:@(?P<digest>[A-Za-z][A-Za-z0-9]*(?:[+._-][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?",
    re.ASCII,
)


class Image(Record):
    """Parsed reference: `registry` with its port, `path` in it, and tag and digest, empty if they are missing."""

    registry: str
    path: str
    tag: str
    digest: str


class Registry(Record):
    """Registry, or a part of one: all images whose path is `path` or below it; an empty path is the whole registry."""

    host: str
    path: str

    def contains(self, image: Image) -> bool:
        """Return whether an image is in the registry. Steps of paths are compared as a whole, and ports too."""
        is_inside = not self.path or f"{image.path}/".startswith(f"{self.path}/")
        return image.registry == self.host and is_inside


def parse_image(text: str) -> Image | None:
    """Return the parts of a reference; None for a text that is none, which no registry contains."""
    first, slash, rest = text.partition("/")
    if slash and _is_host(first):
        host = first
    else:
        host, rest = _HUB, text
    match = _REST.fullmatch(rest)
    if match is None or not _PATH.fullmatch(match["name"]) or not _HOST.fullmatch(host):
        return None
    host, path = _canonical(host), match["name"]
    if host == _HUB and "/" not in path:
        path = f"library/{path}"
    return Image(registry=host, path=path, tag=match["tag"] or "", digest=match["digest"] or "")


def parse_registry(text: str) -> Registry | None:
    """Return an entry of a policy, such as `registry.example.com:5000/ml`; None for one without a host."""
    host, _, path = text.rstrip("/").partition("/")
    if not _is_host(host) or not _HOST.fullmatch(host) or (path and not _PATH.fullmatch(path)):
        return None
    return Registry(host=_canonical(host), path=path)


def is_pinned(image: Image, by: str) -> bool:
    """Return whether a reference is pinned by its `digest`, or by its `tag`: that is, not `latest`; or by a digest."""
    return bool(image.digest) or (by == "tag" and image.tag not in ("", LATEST))


def _is_host(text: str) -> bool:
    """Return whether the first step of a reference is a host, not a part of the path on Docker Hub."""
    return "." in text or ":" in text or text == "localhost" or text.lower() != text


def _canonical(host: str) -> str:
    """Return a host as registries compare them: DNS names ignore case."""
    host = host.lower()
    return _HUB if host in _HUB_ALIASES else host
