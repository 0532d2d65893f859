"""Resource names of devices: misspelled names, and valid names that resemble them."""

from __future__ import annotations

import pytest

import trainc
from tests.support.build import job_text


@pytest.mark.parametrize(
    ("name", "suggestion"),
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
def test_misspelled_device_has_a_suggestion(name: str, suggestion: str) -> None:
    [diagnostic] = trainc.compile(job_text(resources={name: 1})).diagnostics
    assert (diagnostic.code.id, diagnostic.help) == ("TC3075", f"did you mean {suggestion}?")


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
def test_device_names_are_accepted(name: str) -> None:
    assert "TC3075" not in [
        diagnostic.code.id for diagnostic in trainc.compile(job_text(resources={name: 1})).diagnostics
    ]
