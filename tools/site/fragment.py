"""Links that open the playground with a text: everything is in the fragment, which browsers send to no host."""

from __future__ import annotations

import zlib
from base64 import urlsafe_b64encode
from urllib.parse import urlencode


def fragment(text: str, old: str = "", **options: str) -> str:
    """Return the fragment of a text and of an old version to compare, as playground/src/link.js reads it."""
    texts = {"text": text, "old": old}
    return "#" + urlencode({name: _encode(value) for name, value in texts.items() if value} | options)


def _encode(text: str) -> str:
    """Return a text as raw DEFLATE in base64url without padding."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    return urlsafe_b64encode(compressor.compress(text.encode()) + compressor.flush()).decode().rstrip("=")
