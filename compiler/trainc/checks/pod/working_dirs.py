"""Working directories that are not absolute: the container runtime starts no container."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, warning
from trainc.source.node import Scalar
from trainc.span import Text

TRIGGERS = ("podTemplate", "has_relative_working_dir()")

_EXPANDED = ("~", "$")  # by a shell


def check(context: RuleContext) -> Diagnostics:
    """Require a path from the root, as runc does.

    https://github.com/opencontainers/runtime-spec/blob/v1.2.1/config.md#process: `cwd` must be absolute. runc 1.1
    fails: "Cwd must be an absolute path". crun 1.8 starts the container.
    """
    pod, launch, own = context.pod, context.job.launch, context.spec.working_dir
    has_own_rule = launch.starts_workers and launch.launcher.has_remote_shell  # about all that a remote shell changes
    containers = (*pod.init_containers, *pod.containers) if context.job.pod.patch is not None else [pod.main]
    patched = [container.node.get("workingDir") for container in containers]
    folders = [Text(node.text, node.span) for node in patched if isinstance(node, Scalar) and node.value is not None]
    if own is not None and pod.main.node.get("workingDir") is None and not has_own_rule:
        folders.append(Text(own, context.spec.where("workingDir")))
    for folder in folders:
        if folder and not folder.startswith("/"):
            message = f"working directory `{folder}` is not absolute: runc does not start the container"
            reason = "no shell expands it" if folder[0] in _EXPANDED else "it does not continue the image's"
            help_ = f"write the path from /: {reason}"
            yield warning(codes.RELATIVE_WORKING_DIR, message, folder.span, help=help_)
