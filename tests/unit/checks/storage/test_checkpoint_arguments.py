"""Arguments of programs that name a checkpoint, and similar ones that do not."""

from __future__ import annotations

from typing import Any

import pytest

import trainc
from tests.support.build import job_text

ELASTIC: dict[str, Any] = {
    "launch": {"torchrun": {}},
    "elastic": {"minReplicas": 1, "maxReplicas": 2},
    "volumes": [{"name": "out", "mountPath": "/out", "persistentVolumeClaim": {"claimName": "out"}}],
}


def codes(**spec: Any) -> list[str]:
    return [diagnostic.code.id for diagnostic in trainc.compile(job_text(**spec)).diagnostics]


# Arguments of common training programs: Hugging Face's Trainer, Megatron-LM, Lightning, MMEngine, torchtitan,
# torchelastic's ImageNet, NeMo.
@pytest.mark.parametrize(
    "arguments",
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
def test_arguments_that_name_a_checkpoint(arguments: list[str]) -> None:
    assert codes(run={"python": ["train.py", *arguments]}, **ELASTIC) == []


def test_shell_script_that_names_a_checkpoint() -> None:
    assert codes(run={"exec": ["sh", "-c", "exec python train.py --save /out"]}, **ELASTIC) == []


@pytest.mark.parametrize(
    "arguments", [["--save-model"], ["--data-loader=fast"], ["--load-format=pt"], ["--log-dir", "/l"]]
)
def test_other_arguments(arguments: list[str]) -> None:
    assert codes(run={"python": ["train.py", *arguments]}, **ELASTIC) == ["TC3078"]
