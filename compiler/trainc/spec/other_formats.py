"""Files of other tools that have no `kind`, recognized by the names of their fields."""

from __future__ import annotations

from trainc.record import Record
from trainc.source.node import Mapping, Scalar

_COMMAND = "import the launch command in it: `trainc import command --set spec.image=IMAGE -- COMMAND`"
_RENDER = "render the chart: `helm template CHART | trainc check -`"
_ARGUMENT = "name the file in the program's arguments, and check the job file"


class _Format(Record):
    """Format of a file that has all fields of `required` and, if there are any, one of `optional`."""

    description: str
    help: str
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
    _Format(
        description="a SkyPilot task",
        help=_COMMAND,
        required="run",
        optional="num_nodes setup file_mounts workdir envs secrets resources",
    ),
    _Format(description="a Docker Compose file", help=_COMMAND, required="services"),
    _Format(
        description="the configuration of a Ray cluster",
        help="keep it for a program that uses Ray, or write a TrainingJob: `trainc init`",
        required="cluster_name",
        optional="provider available_node_types head_node_type",
    ),
    _Format(
        description="a GitHub workflow",
        help="check job files in a step of it: `trainc check DIRECTORY`",
        required="on jobs",
    ),
    _Format(
        description="a GitLab pipeline",
        help="check job files in a job of it: `trainc check DIRECTORY`",
        required="stages",
    ),
    _Format(description="the description of a Helm chart", help=_RENDER, required="apiVersion name version"),
    _Format(
        description="a compiled Kubeflow pipeline",
        help="check the manifest of its training step, or write a TrainingJob: `trainc init`",
        required="pipelineInfo root",
    ),
    _Format(
        description="a component of Kubeflow Pipelines",
        help="write a TrainingJob for its container: `trainc init`",
        required="implementation",
    ),
    _Format(description="a dstack configuration", help=_COMMAND, required="type commands"),
    _Format(description="a job of Azure Machine Learning", help=_COMMAND, required="command compute"),
    _Format(description="an experiment of Determined", help=_COMMAND, required="entrypoint searcher"),
    _Format(
        description="a configuration of accelerate",
        help="pass its values as options: `trainc import command --set spec.image=IMAGE -- accelerate launch"
        " --num_machines N --num_processes N train.py`",
        required="compute_environment",
    ),
    _Format(
        description="a configuration of DeepSpeed",
        help=_ARGUMENT,
        required="",
        optional="train_batch_size train_micro_batch_size_per_gpu zero_optimization",
    ),
    _Format(
        description="a kustomization",
        help="render it: `kubectl kustomize DIRECTORY | trainc check -`",
        required="resources",
        optional="bases patches patchesStrategicMerge namePrefix configMapGenerator images",
    ),
)
# Values of charts have no required field: these are in the starter chart of `helm create`.
_VALUES = _Format(description="the values of a Helm chart", help=_RENDER, required="", optional="replicaCount")


def format_of(document: Mapping, file: str) -> tuple[str, str] | None:
    """Return what a document without a `kind` is, and the help; None if it is not known."""
    names = set(document.entries)
    if {"launch", "spec"} & names:  # of a TrainingJob
        return None
    if "run" in names and not isinstance(document.get("run"), Scalar):
        names.remove("run")
    base = file.rpartition("/")[2]
    is_values = base.startswith("values") or _VALUES.matches(names)
    found = next((each for each in _FORMATS if each.matches(names)), _VALUES if is_values else None)
    return (found.description, found.help) if found else None
