"""References of images: expected parts from the tests and the grammar of distribution/reference.

https://github.com/distribution/reference/blob/v0.6.0/reference_test.go and normalize_test.go
"""

from __future__ import annotations

import pytest

from trainc.policy.images import is_pinned, parse_image, parse_registry

DIGEST = "sha256:" + "ff" * 32
PARTS = {
    "busybox": ("docker.io", "library/busybox", "", ""),
    "busybox:1.37": ("docker.io", "library/busybox", "1.37", ""),
    "pytorch/pytorch:2": ("docker.io", "pytorch/pytorch", "2", ""),
    "docker.io/busybox": ("docker.io", "library/busybox", "", ""),
    "index.docker.io/library/redis": ("docker.io", "library/redis", "", ""),
    "library/redis": ("docker.io", "library/redis", "", ""),
    "test.com:8080/foo:5000": ("test.com:8080", "foo", "5000", ""),
    f"test:5000/repo:tag@{DIGEST}": ("test:5000", "repo", "tag", DIGEST),
    f"test:5000/repo@{DIGEST}": ("test:5000", "repo", "", DIGEST),
    "localhost/team/train:1": ("localhost", "team/train", "1", ""),
    "sub-dom1.foo.com/bar/baz/quux:some-long-tag": ("sub-dom1.foo.com", "bar/baz/quux", "some-long-tag", ""),
    "[2001:db8::1]:5000/repo": ("[2001:db8::1]:5000", "repo", "", ""),
    "b.gcr.io/test.example.com/my-app:test.example.com": (
        "b.gcr.io",
        "test.example.com/my-app",
        "test.example.com",
        "",
    ),
    "REGISTRY.example.com/a": ("registry.example.com", "a", "", ""),
    "Uppercase/lowercase": ("uppercase", "lowercase", "", ""),  # a host, since paths have no capitals
}
INVALID = (
    *("", ":justtag", "@" + DIGEST, "Uppercase:tag", "repo@sha256:ff", "a//b", "test.com/A", "a/../b", " busybox"),
    *(
        "aa/asdf$$^/aa",
        "busybox\n",
        "repo:" + "a" * 129,
        "-test/foo",
        "https://allowed.io/x",
        "$(IMAGE)",
        "a@b@" + DIGEST,
    ),
)
INSIDE = {
    "allowed.io": ("allowed.io/x", "allowed.io/a/b:1", "ALLOWED.io/x"),
    "allowed.io/": ("allowed.io/x",),
    "allowed.io/ml": ("allowed.io/ml", "allowed.io/ml/train@" + DIGEST),
    "allowed.io:5000": ("allowed.io:5000/x",),
    "docker.io": ("busybox", "pytorch/pytorch", "index.docker.io/a/b"),
    "docker.io/library": ("busybox", "docker.io/busybox"),
}
OUTSIDE = {
    "allowed.io": (
        *("evil.com/allowed.io/x", "allowed.io.evil.com/x", "xallowed.io/x", "allowed.io:443/x", "allowed.iox/x"),
        *("allowed/io", "docker.io/allowed.io/x", "allowed-io/x"),
    ),
    "allowed.io/ml": ("allowed.io/mlops/x", "allowed.io/x/ml/y", "allowed.io/m"),
    "docker.io/library": ("pytorch/pytorch", "libraryx/busybox", "quay.io/library/busybox"),
    "allowed.io:5000": ("allowed.io/x", "allowed.io:50000/x"),
}


@pytest.mark.parametrize("text", PARTS)
def test_a_reference_has_its_parts(text: str) -> None:
    image = parse_image(text)
    assert image is not None
    assert (image.registry, image.path, image.tag, image.digest) == PARTS[text]


@pytest.mark.parametrize("text", INVALID)
def test_an_invalid_reference_has_none(text: str) -> None:
    assert parse_image(text) is None


@pytest.mark.parametrize(("entry", "text"), [(entry, text) for entry, texts in INSIDE.items() for text in texts])
def test_an_image_is_in_a_registry(entry: str, text: str) -> None:
    registry, image = parse_registry(entry), parse_image(text)
    assert registry is not None
    assert image is not None
    assert registry.contains(image)


@pytest.mark.parametrize(("entry", "text"), [(entry, text) for entry, texts in OUTSIDE.items() for text in texts])
def test_an_image_with_a_similar_name_is_not(entry: str, text: str) -> None:
    registry, image = parse_registry(entry), parse_image(text)
    assert registry is not None
    assert image is not None
    assert not registry.contains(image)


def test_an_entry_has_a_host() -> None:
    assert parse_registry("pytorch") is None
    assert parse_registry("pytorch/pytorch") is None
    assert parse_registry("https://allowed.io") is None


def test_tags_but_latest_and_digests_pin_an_image() -> None:
    pinned = {
        text: [is_pinned(image, by) for by in ("tag", "digest")] for text in PARTS if (image := parse_image(text))
    }
    assert pinned["busybox"] == [False, False]
    assert pinned["busybox:1.37"] == [True, False]
    assert pinned[f"test:5000/repo@{DIGEST}"] == [True, True]
    latest = parse_image("busybox:latest")
    assert latest is not None
    assert not is_pinned(latest, "tag")
