"""Documents with another kind or version: the error, the job that was probably intended, and files of other tools."""

from __future__ import annotations

import shlex
from typing import NamedTuple

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.diagnostics.message import CHECK_STDIN, Message, Phrase
from trainc.diagnostics.remedy import Remedy, put, replace
from trainc.schema.hints import similar
from trainc.source.node import Entry, Mapping, Node, Scalar, scalar_text
from trainc.span import STDIN
from trainc.systems.registry import group_help, of_kind, readable_kinds
from trainc.well_known import API_VERSION, GROUP, KIND, PROJECT_KIND, is_own_group

_REQUIRED = {"kind": KIND, "apiVersion": API_VERSION}


def kind_errors(document: Node) -> list[Diagnostic]:
    """Return the errors of the kind and version: one for a document of another kind, in place of one a field."""
    start = document.span.first
    if not isinstance(document, Mapping):
        return [error(codes.NOT_A_TRAINING_JOB, "a training job must be a mapping", start, expected=f"kind: {KIND}")]
    is_intended = _is_intended(document)
    errors = [_error(document, name, is_intended) for name in _REQUIRED if not _is_right(document, name)]
    return errors if is_intended else errors[:1]


def intended_job(document: Node) -> Mapping | None:
    """Return a document with the right kind and version if a job was probably intended; None for all others."""
    if not isinstance(document, Mapping) or not _is_intended(document):
        return None
    entries = dict(document.entries)
    for name, required in _REQUIRED.items():
        span = document.where(name)
        key = entries[name].key if name in entries else Scalar(name, name, span)
        entries[name] = Entry(key, Scalar(required, required, span))
    return Mapping(entries, document.span)


def _is_intended(document: Mapping) -> bool:
    """Return whether a document has a spec, and a kind or version that is misspelled or missing, of no other group."""
    kind, version = document.get("kind"), document.get("apiVersion")
    is_scalar = isinstance(kind, Scalar | None) and isinstance(version, Scalar | None)
    if not is_scalar or not isinstance(document.get("spec"), Mapping):
        return False
    group, slash, _ = scalar_text(version).rpartition("/")
    if is_own_group(scalar_text(version)):
        name = scalar_text(kind).lower()
        is_near = not name or name.endswith("job") or similar(name, [KIND.lower()], 0.75) is not None
        return is_near and not (_is_right(document, "kind") and _is_right(document, "apiVersion"))
    is_near = not slash or similar(group, [GROUP], 0.75) is not None
    return is_near and scalar_text(kind).lower() == KIND.lower()


def _is_right(document: Mapping, name: str) -> bool:
    value = document.get(name)
    return isinstance(value, Scalar) and value.value == _REQUIRED[name]


def _error(document: Mapping, name: str, is_intended: bool) -> Diagnostic:
    required, value = _REQUIRED[name], document.get(name)
    text = scalar_text(value)
    shown = f"`{text}`" if text else "empty" if isinstance(value, Scalar) else "a collection"
    message = f"`{name}` is {shown}, which trainc does not compile"
    help_: str | None = None
    remedy: Remedy | None = None
    where = document.where(name)
    if value is None:
        message, where = f"the document has no `{name}`", document.span.first
        if is_intended:
            help_, remedy = f"write `{name}: {required}`", put((name,), required, safe=name == "kind")
        elif len({"image", "launch", "run"} & document.entries.keys()) > 1:
            help_ = f"write these fields in `spec`, below `apiVersion: {API_VERSION}`, `kind: {KIND}` and `metadata`"
        elif known := _format_of(document, where.source.name):
            message = f"the file is {known[0]}, which trainc does not compile"
            return error(codes.NOT_A_TRAINING_JOB, message, where, expected=f"{name}: {required}", help=known[1])
    elif is_intended or text.lower() == required.lower():
        help_ = f"write `{required}`"
        remedy = replace(value.span, required, safe=text.lower() == required.lower())
    system = of_kind(text, scalar_text(document.get("apiVersion"))) if name == "kind" and not is_intended else None
    if system and system.traits.foreign_description:
        message += f": {system.traits.foreign_description}"
        help_ = system.traits.foreign_help
    elif not help_ and name == "kind" and text == "CronJob":
        help_ = "check its `jobTemplate` as a Job"
    elif (
        not help_ and name == "kind" and text == PROJECT_KIND and is_own_group(scalar_text(document.get("apiVersion")))
    ):
        help_ = "name job files: a project file is found in the directories above them"
    elif not help_ and name == "kind" and (advice := group_help(scalar_text(document.get("apiVersion")))):
        help_ = advice
    elif not help_ and name == "kind" and text.endswith("Job") and text != "Job":
        help_ = f"use one of the job kinds that trainc reads: {', '.join(readable_kinds())}"
    expected = f"{name}: {required}"
    return error(codes.NOT_A_TRAINING_JOB, message, where, expected=expected, help=help_, remedy=remedy)


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


def _format_of(document: Mapping, file: str) -> tuple[str, Phrase] | None:
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
