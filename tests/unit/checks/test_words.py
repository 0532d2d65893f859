"""Rules that go by words: which they take for a checkpoint, and which for a slip in a device's name."""

from __future__ import annotations

from typing import Any

import pytest

import trainc
from tests.support.build import text

ELASTIC: dict[str, Any] = {"launch": {"torchrun": {}}, "elastic": {"minReplicas": 1, "maxReplicas": 2}}


def codes(**spec: Any) -> list[str]:
    return [found.code.id for found in trainc.compile(text(**spec)).diagnostics]


# Arguments of programs that many train with: Hugging Face's Trainer, Megatron-LM, Lightning, MMEngine, torchtitan,
# torchelastic's ImageNet, NeMo.
@pytest.mark.parametrize(
    "words",
    [
        ["--output_dir", "/out"],
        ["--output-dir=/out"],
        ["--resume_from_checkpoint", "/out"],
        ["--save=/out"],
        ["--load", "/out"],
        ["--save-interval=1000"],
        ["fit", "--trainer.default_root_dir=/out"],
        ["--work-dir", "/out"],
        ["--checkpoint.enable_checkpoint"],
        ["--checkpoint-file=/out/last.pt"],
        ["exp_manager.resume_if_exists=true"],
        ["--ckpt", "/out"],
        ["--snapshot_path", "/out"],
    ],
)
def test_a_program_that_is_told_of_checkpoints_needs_no_field_for_them(words: list[str]) -> None:
    assert codes(run={"python": ["train.py", *words]}, **ELASTIC) == []


def test_a_shell_script_is_searched_too() -> None:
    assert codes(run={"exec": ["sh", "-c", "exec python train.py --save /out"]}, **ELASTIC) == []


@pytest.mark.parametrize("words", [["--save-model"], ["--data-loader=fast"], ["--load-format=pt"], ["--log-dir", "/l"]])
def test_other_words_are_no_checkpoint(words: list[str]) -> None:
    assert codes(run={"python": ["train.py", *words]}, **ELASTIC) == ["TC3078"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("nvidia.com/gpus", "nvidia.com/gpu"),
        ("nvidia.com/GPU", "nvidia.com/gpu"),
        ("nvidia.com/Gpu", "nvidia.com/gpu"),
        ("nvida.com/gpu", "nvidia.com/gpu"),
        ("nvidia/gpu", "nvidia.com/gpu"),
        ("nvidia.com/gpu-mem", "nvidia.com/gpumem"),
        ("nvidia.com/gpu_cores", "nvidia.com/gpucores"),
        ("nvidia.com/gpu-shared", "nvidia.com/gpu.shared"),
        ("amd.com/gpus", "amd.com/gpu"),
        ("habana.ai/Gaudi", "habana.ai/gaudi"),
        ("aws.amazon.com/neuroncores", "aws.amazon.com/neuroncore"),
        ("google.com/tpus", "google.com/tpu"),
        ("vpc.amazonaws.com/EFA", "vpc.amazonaws.com/efa"),
    ],
)
def test_a_slip_in_a_devices_name_is_told_the_name(name: str, meant: str) -> None:
    [found] = trainc.compile(text(resources={name: 1})).diagnostics
    assert (found.code.id, found.help) == ("TC3075", f"did you mean {meant}?")


@pytest.mark.parametrize(
    "name",
    [
        "nvidia.com/gpu",
        "nvidia.com/gpu.shared",
        "nvidia.com/mig-1g.5gb",
        "nvidia.com/mig-3g.20gb.shared",
        "nvidia.com/a100",
        "nvidia.com/GA102GL_A10",
        "amd.com/gpu",
        "gpu.intel.com/i915",
        "gpu.intel.com/i915_monitoring",
        "gpu.intel.com/xe",
        "intel.com/gpu",
        "habana.ai/gaudi",
        "aws.amazon.com/neurondevice",
        "huawei.com/Ascend910",
        "huawei.com/Ascend310P",
        "cambricon.com/vmlu",
        "volcano.sh/vgpu-number",
        "tencent.com/vcuda-core",
        "aliyun.com/gpu-mem",
        "rdma/hca_shared_devices_a",
        "example.com/gpus",
    ],
)
def test_a_name_that_devices_have_is_no_slip(name: str) -> None:
    assert "TC3075" not in codes(resources={name: 1})
