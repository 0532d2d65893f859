"""Environment variables that conflict with the launcher's, and duplicate ones."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, Phrase, RuleContext, codes, error, remove
from trainc.checks.shared.user_fields import gpu_count, patch_spec
from trainc.commandline.word import parse_count
from trainc.source.node import mappings, scalar_text
from trainc.span import Span
from trainc.well_known import MAIN

TRIGGERS = ("env", "podTemplate", "network.interface", "checkpoint", "save", "shareFile")


def check(context: RuleContext) -> Diagnostics:
    """Report duplicate definitions: the last one wins silently, so the launcher's or the user's is lost.

    The variables of other systems' jobs are judged in their objects.
    """
    values = {variable.name: variable.value for variable in context.job.pod.env if variable.origin is None}
    own = {*values, *context.job.launch.process_variables}
    ambiguous = {item.name for item in context.spec.env if item.value and item.value_from is not None}
    seen: dict[str, Span] = {}
    overrides: list[tuple[str, Span, bool]] = []  # with whether the value is the launcher's
    for variable in context.job.pod.env:
        if variable.origin is None:
            continue
        if isinstance(variable.value, dict) and variable.name in ambiguous and not context.in_own_system:
            message = f"environment variable `{variable.name}` has both `value` and `valueFrom`"
            yield error(codes.DUPLICATE_ENV, message, variable.origin, help="remove one of them")
        if variable.name in own:
            is_same = isinstance(variable.value, str) and variable.value == values.get(variable.name)
            overrides.append((variable.name, variable.origin, is_same))
        elif variable.name in seen and not context.in_own_system:
            message = f"environment variable `{variable.name}` is defined twice"
            related = [(seen[variable.name], "first definition")]
            yield error(codes.DUPLICATE_ENV, message, variable.origin, related=related)
        seen.setdefault(variable.name, variable.origin)
    for container in mappings(patch_spec(context).get("containers")):
        if scalar_text(container.get("name")) == MAIN:
            items = mappings(container.get("env"))
            overrides += [(scalar_text(item.get("name")), item.where("name"), False) for item in items]
    paths = {"checkpoint": context.spec.checkpoint, "save": context.spec.save, "shareFile": context.spec.share_file}
    sections = {path.variable: section for section, path in paths.items() if path and not path.env}
    for name, where, is_same in overrides:
        if name in own and not context.in_own_system:  # whose rules report what its operator overrides
            message = f"`{name}` is set by the {context.job.launch.launcher.name} launcher"
            help_: Phrase = Message("remove it: trainc derives it from `{workers}`, `resources` and `{launch}`")
            if name == "WORLD_SIZE" and (counted := _processes(context)):
                launch = context.spec.launch.traits
                field = f"launch.{launch.name}.{launch.processes_field}"
                help_ = f"remove it, and set `{field}: {counted}` for a process per GPU"
            if name in sections:
                message = f"`{name}` is set by `{sections[name]}`"
                help_ = f"remove it, or set {sections[name]}.env"
            yield error(codes.RESERVED_ENV, message, where, help=help_, remedy=remove(where, safe=is_same))


def _processes(context: RuleContext) -> int | None:
    """Return the GPUs of a pod if the file's WORLD_SIZE counts them on all workers, and the launcher starts fewer
    processes."""
    gpus, workers = gpu_count(context), context.job.replicas.maximum
    values = [item.value for item in context.pod.main.user_variables if item.name == "WORLD_SIZE"]
    counts_gpus = parse_count(values[-1] or "") == gpus * workers if values else False
    return gpus if counts_gpus and gpus > (context.job.launch.process_count or gpus) else None
