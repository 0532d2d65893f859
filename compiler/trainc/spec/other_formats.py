"""Files of other tools that have no `kind`, recognized by the names of their fields."""

from __future__ import annotations

import shlex
from typing import NamedTuple

from trainc.diagnostics.message import CHECK_STDIN, Message, Phrase
from trainc.source.node import Mapping, Scalar
from trainc.span import STDIN


class _Directory(str):
    """Directory of a file, in a message."""

    __slots__ = ()


_COMMAND = "import the launch command in it: `trainc import command --set spec.image=IMAGE -- COMMAND`"
_RENDER = Message("render the chart: `helm template {} {}`", _Directory(), CHECK_STDIN)
_RAY = "keep it for a program that uses Ray, or write a TrainingJob: `trainc init`"
_PIPELINE = "check the manifest of its training step, or write a TrainingJob: `trainc init`"
_COMPONENT = "write a TrainingJob for its container: `trainc init`"
_ACCELERATE = (
    "name it in a job file as `launch.accelerate.configFile`, or pass its values as options: `trainc import command"
    " --set spec.image=IMAGE -- accelerate launch --num_machines N --num_processes N train.py`"
)
_ARGUMENT = "name the file in the program's arguments, and check the job file"
_KUSTOMIZE = Message("render it: `kubectl kustomize {} {}`", _Directory(), CHECK_STDIN)


class _Format(NamedTuple):
    """Format of a file that has all fields of `required` and, if there are any, one of `optional`."""

    description: str
    help: Phrase
    required: str
    optional: str = ""

    def matches(self, names: set[str]) -> bool:
        optional = set(self.optional.split())
        return names.issuperset(self.required.split()) and (not optional or not names.isdisjoint(optional))


# Sources: docs.skypilot.co/en/latest/reference/yaml-spec.html, docs.docker.com/reference/compose-file,
# docs.gitlab.com/ci/yaml, Ray's cluster YAML configuration options,
# docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax, helm.sh/docs/topics/charts,
# kubeflow.org/docs/components/pipelines (PipelineSpec), dstack.ai/docs/reference/dstack.yml/task,
# docs.determined.ai (experiment configuration), learn.microsoft.com/azure/machine-learning/reference-yaml-job-command,
# huggingface.co/docs/accelerate (`accelerate config`), deepspeed.ai/docs/config-json.
_FORMATS = (
    _Format("a SkyPilot task", _COMMAND, "run", "num_nodes setup file_mounts workdir envs secrets resources"),
    _Format("a Docker Compose file", _COMMAND, "services"),
    _Format("the configuration of a Ray cluster", _RAY, "cluster_name", "provider available_node_types head_node_type"),
    _Format("a GitHub workflow", "check job files in a step of it: `trainc check DIRECTORY`", "on jobs"),
    _Format("a GitLab pipeline", "check job files in a job of it: `trainc check DIRECTORY`", "stages"),
    _Format("the description of a Helm chart", _RENDER, "apiVersion name version"),
    _Format("a compiled Kubeflow pipeline", _PIPELINE, "pipelineInfo root"),
    _Format("a component of Kubeflow Pipelines", _COMPONENT, "implementation"),
    _Format("a dstack configuration", _COMMAND, "type commands"),
    _Format("a job of Azure Machine Learning", _COMMAND, "command compute"),
    _Format("an experiment of Determined", _COMMAND, "entrypoint searcher"),
    _Format("a configuration of accelerate", _ACCELERATE, "compute_environment"),
    _Format(
        "a configuration of DeepSpeed",
        _ARGUMENT,
        "",
        "train_batch_size train_micro_batch_size_per_gpu zero_optimization",
    ),
    _Format(
        "a kustomization",
        _KUSTOMIZE,
        "resources",
        "bases patches patchesStrategicMerge namePrefix configMapGenerator images",
    ),
)
# Values of charts have no required field: these are in the starter chart of `helm create`.
_VALUES = _Format("the values of a Helm chart", _RENDER, "", "replicaCount")


def format_of(document: Mapping, file: str) -> tuple[str, Phrase] | None:
    """Return the description of a document without a `kind`, and the help; None if its format is unknown."""
    names = set(document.entries)
    if {"launch", "spec"} & names:  # of a TrainingJob
        return None
    if "run" in names and not isinstance(document.get("run"), Scalar):
        names.remove("run")
    base = file.rpartition("/")[2]
    is_values = base.startswith("values") or _VALUES.matches(names)
    known = next((each for each in _FORMATS if each.matches(names)), _VALUES if is_values else None)
    if known is None:
        return None
    directory = _Directory(shlex.quote(file.rpartition("/")[0] or ".") if file != STDIN else "DIRECTORY")
    help_ = known.help.with_value(directory) if isinstance(known.help, Message) else known.help
    return known.description, help_
