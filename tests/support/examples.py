"""The repository's examples, compiled for every back end."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import yaml

import trainc
from trainc.systems.registry import NAMES as BACKENDS
from trainc.target import DEFAULT

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples"
NEIGHBOR = str(FOLDER / "job.yaml")  # name of a job next to the local files of the examples
EXAMPLES = tuple(sorted(file.stem for file in FOLDER.glob("*.yaml")))
CASES = tuple((example, backend) for example in EXAMPLES for backend in BACKENDS)


def example_path(example: str) -> Path:
    return FOLDER / f"{example}.yaml"


def golden(example: str, backend: str) -> Path:
    return ROOT / "golden" / example / f"{backend}.yaml"


@cache
def compiled(example: str, backend: str, version: str = f"1.{DEFAULT}") -> trainc.Result:
    file = example_path(example)
    return trainc.compile(file.read_bytes(), backend=backend, filename=str(file), kubernetes_version=version)


def accepted(example: str, backend: str) -> bool:
    return compiled(example, backend).ok


def canonical_json(value: object) -> str:
    """Return JSON with sorted keys: unlike ==, it distinguishes 1, 1.0 and true."""
    return json.dumps(value, sort_keys=True)


def example_jobs(example: str) -> list[str]:
    """Return the jobs of an example, each as a separate text."""
    return [yaml.safe_dump(each, sort_keys=False) for each in _documents(example) if each["kind"] == "TrainingJob"]


def is_users_object(example: str, manifest: Any) -> bool:
    """Return whether an object of a golden is one of the example's file, which trainc writes unchanged."""
    others = [each for each in _documents(example) if each["kind"] != "TrainingJob"] if example in EXAMPLES else []
    return manifest in others


@cache
def _documents(example: str) -> list[Any]:
    return list(yaml.safe_load_all(example_path(example).read_text("utf-8")))
