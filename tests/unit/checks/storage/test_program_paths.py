"""Outputs in the program's arguments: names of common programs, and where their paths are."""

from __future__ import annotations

from typing import Any

import pytest

import trainc
from tests.support.build import job_text
from trainc.span import Span

DATA = {"name": "data", "mountPath": "/data", "persistentVolumeClaim": {"claimName": "data"}}
LONG = {"lifecycle": {"activeDeadlineSeconds": 7 * 24 * 60 * 60}}


def reported(run: dict[str, Any], **spec: Any) -> list[str]:
    """Return code and source of each diagnostic about a path."""

    def source(span: Span) -> str:
        return span.source.line(span.line)[span.column - 1 : span.end_column - 1].strip('"')

    diagnostics = trainc.compile(job_text(run=run, **{"volumes": [DATA], **spec})).diagnostics
    return [
        f"{each.code.id} {source(each.span)}" for each in diagnostics if each.code.id in ("TC3078", "TC3079", "TC3080")
    ]


def reports(*arguments: str, **spec: Any) -> bool:
    return bool(reported({"python": ["train.py", *arguments]}, **spec))


# Hugging Face's Trainer, nanoGPT, MMEngine, Lightning, Megatron-LM, NeMo, Mosaic's composer, timm.
@pytest.mark.parametrize(
    "name",
    [
        *("--output_dir", "--output-dir", "--out_dir", "--work-dir", "--save", "--save_dir", "--save-path"),
        *("--checkpoint_dir", "--ckpt_dir", "--trainer.default_root_dir", "--exp.output_path", "--save_folder"),
    ],
)
def test_outputs_of_common_programs(name: str) -> None:
    assert reports(f"{name}=/root/out")
    assert reports(name, "/root/out")
    assert reports(f"{name.lstrip('-')}=/root/out")
    assert not reports(f"{name}=/data/out")
    assert not reports(name, "/data")


@pytest.mark.parametrize(
    "name",
    ["--output", "--log_dir", "--data_dir", "--model_dir", "--save-interval", "--save_steps", "--load"],
)
def test_other_arguments(name: str) -> None:
    assert not reports(f"{name}=/root/out", f"{name}_", "/root/out")


@pytest.mark.parametrize("name", ["--ckpt", "--checkpoint", "--ckpt_path", "--checkpoint-file", "--snapshot_path"])
def test_a_checkpoint_may_be_an_input_unless_the_training_starts_again(name: str) -> None:
    assert not reports(name, "/root/last.pt")
    assert reports(name, "/root/last.pt", **LONG)
    assert reports(name, "/root/last.pt", scheduling={"spot": "gke"})
    assert not reports(name, "/data/last.pt", **LONG)


@pytest.mark.parametrize(
    "value",
    [
        *(
            "s3://bucket/out",
            "gs://bucket/out",
            "hdfs:///out",
            "$(OUT)",
            "$(OUT)/a",
            "~/out",
            "null",
            "auto",
            "True",
            "1",
        ),
        *("/dev/null", "", "-"),
    ],
)
def test_values_that_are_no_known_path(value: str) -> None:
    assert not reports(f"--output_dir={value}")
    assert not reports("--output_dir", value)


@pytest.mark.parametrize(
    ("value", "spec", "expected"),
    [
        ("out", {}, True),
        (".", {}, True),
        ("../out", {"workingDir": "/data/a"}, False),
        ("../../out", {"workingDir": "/data/a"}, True),
        ("/data/../out", {}, True),
        ("out", {"workingDir": "/data"}, False),
        ("out", {"volumes": [{**DATA, "mountPath": "/workspace"}]}, False),
        ("out", {"volumes": [{**DATA, "mountPath": "/home/me/project"}]}, False),
        ("out", {"volumes": [{"name": "a", "mountPath": "/workspace", "emptyDir": {}}]}, True),
    ],
)
def test_relative_paths_start_in_the_working_directory(value: str, spec: dict[str, Any], expected: bool) -> None:
    assert reports("--output_dir", value, **spec) == expected


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("python train.py --output_dir=/root/a", ["TC3079 --output_dir=/root/a"]),
        ("cd /data && python train.py --output_dir a", []),
        ("cd /data; cd b; python train.py --output_dir a", []),
        ("cd /opt/app && python train.py --output_dir a", ["TC3079 a"]),
        ("cd $X && python train.py --output_dir a", []),
        ("OUT=/root/a; python train.py --output_dir $OUT", ["TC3079 $OUT"]),
        ("OUT=/data/a; python train.py --output_dir $OUT", []),
        ("python train.py --output_dir $UNKNOWN", []),
        ("if true; then python train.py --output_dir /root/a; fi", []),
        ("python a.py --output_dir /root/a; python b.py --save_dir /root/a", ["TC3079 /root/a"]),
        ("python train.py --output_dir /root/a && cp -r /root/a /data", []),
        ("python train.py --output_dir /root/a; gsutil cp -r /root/a gs://b", []),
        ("python train.py --output_dir /root/a --push_to_hub", []),
        ("python train.py --output_dir /root/a --hub_model_id me/a", []),
    ],
)
def test_paths_in_scripts(script: str, expected: list[str]) -> None:
    assert reported({"exec": ["bash", "-ec", script]}) == expected


def test_a_relative_path_is_said_to_be_relative() -> None:
    [diagnostic] = trainc.compile(job_text(run={"python": ["train.py", "--output_dir", "a"]})).diagnostics
    assert diagnostic.message.startswith("`--output_dir a`, in the image's working directory, is on no volume: ")


@pytest.mark.parametrize(
    ("volume", "code"),
    [
        ({"emptyDir": {}}, "TC3079"),
        ({"emptyDir": {"medium": "Memory"}}, "TC3079"),
        ({"ephemeral": {"volumeClaimTemplate": {"spec": {}}}}, "TC3079"),
        ({"hostPath": {"path": "/dev/shm/out"}}, "TC3079"),
        ({"hostPath": {"path": "/mnt/lustre"}}, None),
        ({"nfs": {"server": "a", "path": "/a"}}, None),
        ({"configMap": {"name": "a"}}, "TC3080"),
        ({"persistentVolumeClaim": {"claimName": "a"}, "readOnly": True}, "TC3080"),
    ],
)
def test_volumes(volume: dict[str, Any], code: str | None) -> None:
    volumes = [{"name": "out", "mountPath": "/out", **volume}]
    found = reported({"python": ["train.py", "--output_dir=/out/a"]}, volumes=volumes)
    assert found == ([f"{code} --output_dir=/out/a"] if code else [])


@pytest.mark.parametrize("mode", [{"debug": {"command": ["sleep", "1h"]}}, "paused"])
def test_jobs_that_do_not_train(mode: Any) -> None:
    assert not reports("--output_dir=/root/out", mode=mode)


@pytest.mark.parametrize("days", [2, 3.5, 30])
def test_long_jobs_need_a_checkpoint(days: float) -> None:
    deadline = {"lifecycle": {"activeDeadlineSeconds": int(days * 24 * 60 * 60)}}
    [diagnostic] = trainc.compile(job_text(**deadline)).diagnostics
    assert diagnostic.code.id == "TC3078"
    assert f"up to {round(days + 0.4)} days" in diagnostic.message
    assert not trainc.compile(job_text(**deadline, checkpoint={"path": "/data/a"}, volumes=[DATA])).diagnostics
