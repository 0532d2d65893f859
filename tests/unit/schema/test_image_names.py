"""What is an image's name is what container runtimes take for one.

Recorded from ParseNormalizedNamed of https://github.com/distribution/reference v0.6.0, which the kubelet asks: a pod
with another name waits for ever with InvalidImageName.
"""

from __future__ import annotations

import pytest

from trainc.schema.accept import matches
from trainc.schema.documents import JOB, document

PATTERN = document(JOB)["definitions"]["Image"]["pattern"]
DIGITS = "0123456789abcdef"
# Templates stand for a name.
TEMPLATES = ["${REGISTRY}${IMAGE}:latest", "$IMAGE", "gcr.io/<your-project>/train:1", "<image>"]
TAKEN = [
    "reg:5000/x/y__z:T_1",
    "localhost/x",
    "Registry.io/x",
    "Registry/x",
    "a--b",
    "[::1]:5000/a:1",
    "[::1]/a",
    f"x:1@sha256:{DIGITS * 4}",
    f"x@sha512:{DIGITS * 8}",
    "a_b.example.com/x",
    "a_b/x",
]
REFUSED = [
    "X:1",
    "x@sha256:abc",
    "a/B:1",
    "a//b",
    "a___b:1",
    "a.-b",
    "a:1:2",
    "a:-1",
    "a:.1",
    ".a",
    "a.",
    "a_",
    "x@sha256:0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef",
    "x@md5:0123456789abcdef0123456789abcdef",
    "a-.example.com/x",
    "-a/x",
    f"{DIGITS * 4}",
    "https://registry.io/x",
    "x:",
    "x@",
    "registry.io:/x",
    "registry.io:port/x",
]


@pytest.mark.parametrize("name", [*TAKEN, *TEMPLATES])
def test_a_name_that_runtimes_take_is_taken(name: str) -> None:
    assert matches(PATTERN, name)


@pytest.mark.parametrize("name", REFUSED)
def test_a_name_that_no_runtime_takes_is_refused(name: str) -> None:
    assert not matches(PATTERN, name)
