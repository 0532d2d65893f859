"""The schema accepts the image names that container runtimes accept.

Recorded from ParseNormalizedNamed of https://github.com/distribution/reference v0.6.0, which the kubelet calls: a pod
with an invalid name stays in InvalidImageName.
"""

from __future__ import annotations

import pytest

from trainc.schema.documents import JOB, document, matches

PATTERN = document(JOB)["definitions"]["Image"]["pattern"]
DIGITS = "0123456789abcdef"
# Placeholders that are replaced before the job is applied.
PLACEHOLDERS = ["${REGISTRY}${IMAGE}:latest", "$IMAGE", "gcr.io/<your-project>/train:1", "<image>"]
VALID = [
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
INVALID = [
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


@pytest.mark.parametrize("name", [*VALID, *PLACEHOLDERS])
def test_names_that_runtimes_accept_are_valid(name: str) -> None:
    assert matches(PATTERN, name)


@pytest.mark.parametrize("name", INVALID)
def test_names_that_runtimes_reject_are_invalid(name: str) -> None:
    assert not matches(PATTERN, name)
