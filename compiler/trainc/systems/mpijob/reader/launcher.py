"""Read the Launcher of an MPIJob: its program, resources and variables, and where its pod differs from the workers'."""

from __future__ import annotations

from typing import Any

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, note, warning
from trainc.record import Record
from trainc.source.node import Mapping, Node, Scalar, plain, scalar_text, start
from trainc.span import Text
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.own_command import read_debug_mode
from trainc.systems.shared.reader.pod import TranslatedPod
from trainc.systems.shared.reader.pod_fields import translate_resources
from trainc.systems.shared.reader.pod_trees import with_containers
from trainc.systems.shared.reader.report import TranslationReport
from trainc.systems.shared.reader.role_differences import Difference, differences
from trainc.systems.shared.reader.tree import child, items, with_entry, without_entries, without_path
from trainc.well_known import LAUNCHER_POD

# Fields of the container that become others of the job.
_OWN = ("name", "command", "args", "resources", "env")


class LauncherRole(Record):
    """Program, resources, variables and mode of the launcher."""

    run: dict[str, Any]
    resources: dict[str, Any] | None
    env: dict[str, Node]
    report: TranslationReport
    mode: Any = None

    def merged_env(self, workers: TranslatedPod) -> Any:
        """Return the variables of the workers and of the launcher, which all pods get."""
        env = workers.fields.get("env")
        own = {scalar_text(child(item, "name")): item for item in items(workers.container.node.get("env"))}
        missing = {name: item for name, item in self.env.items() if name not in own}
        for name, item in self.env.items():
            where = start(item)
            if name in missing:
                message = f"variable `{name}` is set on the launcher only; the workers get it, too"
                self.report.add_change(message, where)
            elif plain(own[name]) != plain(item):
                message = f"the launcher and the workers differ in variable `{name}`; all pods get the workers' value"
                self.report.diagnostics.append(warning(codes.ROLE_PODS_DIFFER, message, where))
        if not missing:
            return env
        if env is None and all(isinstance(child(item, "value"), Scalar) for item in missing.values()):
            return {name: child(item, "value") for name, item in missing.items()}
        return [*_as_list(env), *missing.values()]


def read_launcher(template: ForeignMapping, workers: ForeignMapping) -> LauncherRole | None:
    """Return the role; None if it has no container, which is an error."""
    spec = template.section("spec")
    containers = spec.sections("containers") if spec is not None else []
    if not containers:
        template.report.add_error(f"`{template.path}` has no container", template.node.span.first)
        return None
    main = containers[0]
    command, args = main.strings("command") or [], main.strings("args") or []
    command, args, mode = read_debug_mode(template.report, LAUNCHER_POD, command, args)
    role = LauncherRole(
        run={"exec": [*command, *args]} if command else {"entrypoint": args},
        resources=translate_resources(main),
        env={scalar_text(child(item, "name")): item for item in items(main.consume("env"))},
        report=template.report,
        mode=mode,
    )
    for difference in differences(_comparable(workers.node), _comparable(template.node), ()):
        template.report.diagnostics.append(_diagnostic(difference, template))
    for section in (template, spec, *containers):
        if section is not None:
            section.ignore_all()
    return role


def _comparable(template: Mapping) -> Mapping:
    """Return a template without what the job has separately for launcher and workers, or the operator overwrites."""

    def change(container: Mapping) -> Mapping:
        return with_entry(without_entries(container, *_OWN), "name", Scalar("main", "main", container.span))

    return without_path(with_containers(template, change, only_first=True), "spec", "restartPolicy")


def _diagnostic(difference: Difference, template: ForeignMapping) -> Diagnostic:
    path, left, right, span = difference
    field = ".".join(path)
    if path[-1] == "image":
        message = "the launcher's image differs from the workers', but all pods of a job have one image"
        related = [(start(left), "the workers' image")] if left is not None else []
        return error(codes.ROLE_PROGRAMS_DIFFER, message, start(right) if right is not None else span, related=related)
    if right is None:
        return note(codes.IMPORT_CHANGED_FIELD, f"`{field}` is set for the workers only; the launcher gets it", span)
    if left is None:
        message = f"`{template.path}.{field}` is not carried over: all pods get the workers' template"
        return warning(codes.IMPORT_DROPPED_FIELD, message, span)
    message = f"launcher and workers differ in `{field}`; all pods get the workers' value"
    return warning(codes.ROLE_PODS_DIFFER, message, span)


def _as_list(env: Any) -> list[Any]:
    """Return variables as Kubernetes' list."""
    if isinstance(env, list):
        return env
    fields = env.items() if isinstance(env, dict) else ()
    return [
        {"name": name, "value": value}
        if isinstance(value, Scalar | Text)
        else {"name": name, "valueFrom": child(value, "valueFrom")}
        for name, value in fields
    ]
