"""Translate the labels and the resource that select slices of TPUs to `resources.tpu`."""

from __future__ import annotations

from typing import Any

from trainc.commandline.word import parse_count
from trainc.launchers.registry import ON_TPUS
from trainc.source.node import Mapping, Node, Scalar, scalar_text
from trainc.span import Text, span_of
from trainc.systems.shared.reader.env import variables, without_variables
from trainc.systems.shared.reader.pod import TranslatedPod
from trainc.systems.shared.reader.pod_trees import containers_of
from trainc.systems.shared.reader.tree import child, rest_without
from trainc.tpu import (
    ACCELERATOR_LABEL,
    SLICE_COORDINATOR,
    SLICE_ID,
    SLICES,
    TOPOLOGY_LABEL,
    TPU,
    chip_count,
    default_chips,
)

_RANKS = ("RANK", "WORLD_SIZE", "MASTER_ADDR")  # which that launcher doesn't set


def requests_tpus(template: Node | None) -> bool:
    """Return whether a container of a pod template requests TPUs."""
    kinds = [(each, kind) for each in containers_of(template) for kind in ("limits", "requests")]
    return any(child(each, "resources", kind, TPU) is not None for each, kind in kinds)


def translate_tpus(main: TranslatedPod, launch: dict[str, Any], slices: int = 1) -> dict[str, Any]:
    """Move the fields of the pods, and return `launch`: one that sets no ranks, for a program without them.

    A pod that lacks a label or has an unusual value keeps its fields.
    """
    resources, selector = main.fields["resources"] or {}, main.fields["scheduling"].get("nodeSelector")
    chips = resources.get(TPU)
    if chips is None or not isinstance(selector, Mapping):
        return launch
    accelerator, topology = selector.get(ACCELERATOR_LABEL), selector.get(TOPOLOGY_LABEL)
    count = parse_count(scalar_text(chips))
    if not (count and scalar_text(accelerator) and chip_count(scalar_text(topology))):
        return launch
    where = span_of(next(name for name in resources if name == TPU)) or chips.span
    tpu: dict[str, Node | None] = {"accelerator": accelerator, "topology": topology}
    if count != default_chips(scalar_text(topology)):
        tpu[Text("chips", where)] = chips
    if slices > 1:
        tpu["slices"] = Scalar(slices, str(slices), where)
    main.fields["resources"] = {
        **{name: value for name, value in resources.items() if name != TPU},
        Text("tpu", where): tpu,
    }
    main.fields["scheduling"]["nodeSelector"] = rest_without(selector, ACCELERATOR_LABEL, TOPOLOGY_LABEL)
    if slices > 1:
        main.fields["env"] = without_variables(main.fields["env"], (SLICE_COORDINATOR, SLICES, SLICE_ID))
    has_ranks = any(name in _RANKS for name, _ in variables(main.fields["env"]))
    return {ON_TPUS: {}} if "basic" in launch and not has_ranks else launch
