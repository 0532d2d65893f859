"""What triggers read of a job file, each part at most once."""

from __future__ import annotations

from collections.abc import Iterable

from trainc.source.node import Mapping, Node, Scalar, Sequence, mappings, scalar_text
from trainc.spec.job import TrainingJob

RUN_FIELDS = ("run.python", "run.module", "run.exec", "run.entrypoint")


class JobFile:
    """A job's fields as written, by their paths: from `spec`, or `metadata.`.

    `run` maps each field of `run` to its arguments, `words` are the arguments of all of them, `commands` those of the
    containers in podTemplate. `variables` are names and values from `env` and from containers, `init_variables` from
    init containers. `variable_names` is one string for searches: the names of `variables` between line breaks.
    """

    def __init__(self, job: TrainingJob) -> None:
        self.job = job
        self.text = job.node.span.source.text
        self.fields: dict[str, Node] = {}
        _add_fields(self.fields, job.node, "")
        _add_fields(self.fields, job.metadata.node, "metadata.")
        self.run = {field: strings(self.fields[field]) for field in RUN_FIELDS if field in self.fields}
        self.words = [word for words in self.run.values() for word in words]
        self.containers = mappings(self.fields.get("podTemplate.spec.containers"))
        self.init_containers = mappings(self.fields.get("podTemplate.spec.initContainers"))
        self.variables = [(variable.name, variable.value or "") for variable in job.env]
        self.variables += [pair for container in self.containers for pair in _variables(container)]
        self.variable_names = "\n".join(["", *[name for name, _ in self.variables], ""])
        self.init_variables = [pair for container in self.init_containers for pair in _variables(container)]
        self.commands = [
            word
            for container in (*self.containers, *self.init_containers)
            for field in ("command", "args")
            for word in strings(container.get(field))
        ]
        self.script = "\n".join([*self.words, *self.commands]).lower()

    def names(self, paths: Iterable[str]) -> str:
        """Return the keys of fields that hold a mapping, separated by line breaks."""
        nodes = [self.fields[path] for path in paths if path in self.fields]
        return "\n".join([name for node in nodes if isinstance(node, Mapping) for name in node.entries])


def strings(node: Node | None) -> list[str]:
    """Return the scalars of a list as typed; none for anything else."""
    return [item.text for item in node.items if isinstance(item, Scalar)] if isinstance(node, Sequence) else []


def _add_fields(fields: dict[str, Node], node: Mapping, prefix: str) -> None:
    for key, entry in node.entries.items():
        path, value = prefix + key, entry.value
        fields[path] = value
        if isinstance(value, Mapping):
            _add_fields(fields, value, f"{path}.")


def _variables(container: Mapping) -> list[tuple[str, str]]:
    items = mappings(container.get("env"))
    return [(scalar_text(item.get("name")), scalar_text(item.get("value"))) for item in items]
