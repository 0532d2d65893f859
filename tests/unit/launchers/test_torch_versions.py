"""Version of torch, as the names of images state it."""

from __future__ import annotations

import pytest

from tests.support.build import parse_job
from trainc.launchers.torchrun.spec import torch_version


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("pytorch/pytorch:1.9.0-cuda10.2-cudnn7-runtime", "1.9.0"),
        ("docker.io/pytorch/pytorch:2.10.0-cuda12.8-cudnn9-devel", "2.10.0"),
        ("763104351884.dkr.ecr.us-east-1.amazonaws.com/pytorch-training:1.9.1-gpu-py38-cu111-ubuntu20.04", "1.9.1"),
        ("t9kpublic/pytorch-1.13.0:sdk-0.5.2", "1.13.0"),
        ("image.sourcefind.cn:5000/dcu/admin/base/pytorch:1.13.1-centos7.6-dtk-23.04.1-py38-latest", "1.13.1"),
        ("deepspeed/deepspeed:v072_torch112_cu117", "1.12"),
        ("example.com/train:7-torch2.1", "2.1"),
        ("example.com/train:7-torch19-cu111", "1.9"),
        ("nvcr.io/nvidia/pytorch:21.06-py3", None),
        ("huggingface/transformers-pytorch-gpu:4.9.2", None),
        ("example.com/my-pytorch:1.9.0", None),
        ("kubeflow/pytorch-dist-mnist:1.9", None),
        ("torchelastic/examples:0.2.0", None),
        ("example.com/torch:latest", None),
        ("pytorch/torchserve:0.9.0", None),
        ("example.com/train:torch190", None),
        ("train", None),
    ],
)
def test_versions_of_images(image: str, version: str | None) -> None:
    assert torch_version(parse_job(image=image)) == version


def test_the_field_overrides_the_image() -> None:
    job = parse_job(image="pytorch/pytorch:1.9.0", launch={"torchrun": {"torchVersion": "2.9"}})
    assert torch_version(job) == "2.9"
