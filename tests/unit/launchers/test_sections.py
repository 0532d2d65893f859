"""Sections, option tables and typed launches of the launchers agree."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import lower_job
from trainc.ir.env import PodFact
from trainc.ir.launch import Rendezvous
from trainc.launchers import registry
from trainc.launchers.torchrun.options import FIELDS
from trainc.launchers.torchrun.spec import Rendezvous as Section
from trainc.spec import section as spec
from trainc.spec.launch import Launch


@pytest.mark.parametrize("name", registry.FIELDS)
def test_every_attribute_of_the_section_is_a_field(name: str) -> None:
    section = registry.part(name, "spec").SECTION
    fields = {row.field for row in registry.part(name, "options").FIELDS}
    assert {f"launch.{name}.{key}" for key in _keys(section) - _keys(Launch)} <= fields
    assert section.traits.name == name
    field = section.traits.processes_field  # empty if the program starts them
    assert not field or f"launch.{name}.{field}" in fields


def test_the_rendezvous_has_an_attribute_for_each_field() -> None:
    keys = {row.key for row in FIELDS if row.field.startswith("launch.torchrun.rendezvous.")}
    assert keys | {"etcdImage"} == _keys(Section)


def _keys(section: type[spec.Section]) -> set[str]:
    return {reader[1] for reader in spec._readers(section)}


@pytest.mark.parametrize(
    ("rendezvous", "expected"),
    [
        (
            {},
            Rendezvous(
                backend="c10d",
                endpoint="mnist-0:29400",
                host="mnist-0",
                port=29400,
                id=PodFact.RUN,
                conf={"read_timeout": "300"},
                timeout=("join_timeout", 600),
            ),
        ),
        (
            {"backend": "static", "port": 4000},
            Rendezvous(backend="static", endpoint="mnist-0:4000", host="mnist-0", port=4000, timeout=("timeout", 900)),
        ),
        (
            {"backend": "etcd-v2", "endpoint": "etcd:2379", "id": "a"},
            Rendezvous(
                backend="etcd-v2",
                endpoint="etcd:2379",
                host="etcd",
                port=2379,
                id="a",
                timeout=("join_timeout", 600),
            ),
        ),
        (
            {"backend": "etcd", "managed": True},
            Rendezvous(
                backend="etcd",
                endpoint="mnist-etcd:2379",
                host="mnist-etcd",
                port=2379,
                id=PodFact.RUN,
                timeout=("timeout", 900),
            ),
        ),
    ],
)
def test_rendezvous_of_torchrun(rendezvous: dict[str, Any], expected: Rendezvous) -> None:
    launch = lower_job(workers=2, launch={"torchrun": {"rendezvous": rendezvous}}).launch
    assert launch.rendezvous == expected
    assert (launch.nodes, launch.is_standalone) == ((2, 2), False)


def test_deepspeed_over_ssh_starts_all_workers_from_worker_0() -> None:
    launches = [lower_job(workers=2, launch={"deepspeed": {"transport": name}}).launch for name in ("direct", "ssh")]
    assert [launch.starts_workers for launch in launches] == [False, True]
    assert {(launch.rendezvous.host, launch.rendezvous.port) for launch in launches} == {("mnist-0", 29500)}
