"""Checkpoints and results that the program's own arguments place on storage that is deleted with the pod."""

from __future__ import annotations

import posixpath
import re

from trainc.checks.rule import Diagnostics, RuleContext
from trainc.checks.shared.pod import Pod
from trainc.checks.shared.program_arguments import Argument, program_arguments
from trainc.checks.shared.stored_files import lost_files
from trainc.checks.storage.no_checkpoint import lost_training
from trainc.commandline.word import UNKNOWN
from trainc.secrets.text import redact
from trainc.source.node import mappings, scalar_text

TRIGGERS = ("names_output()",)

# Names for what a training program writes, in Hugging Face's Trainer, Lightning, MMEngine, Megatron-LM, nanoGPT, NeMo.
OUTPUTS = frozenset(
    (
        *("output_dir", "output_path", "output_folder", "out_dir", "work_dir", "default_root_dir", "results_dir"),
        *("save", "save_dir", "save_path", "save_folder", "save_to", "save_checkpoint_path", "save_checkpoint_dir"),
        *("checkpoint_dir", "checkpoints_dir", "checkpoint_folder", "ckpt_dir", "ckpts_dir", "snapshot_dir"),
    )
)
# Names for what a program reads, too. They matter where it is restarted, and reads what it has written.
CHECKPOINTS = frozenset(
    ("checkpoint", "checkpoint_path", "checkpoint_file", "ckpt", "ckpt_path", "ckpt_file", "snapshot_path", "snapshot")
)
NO_PATH = re.compile(r"-?|true|false|none|null|auto|latest|last|best|yes|no|\d+|/dev/(?:null|std\w+)", re.IGNORECASE)
# Programs that copy files elsewhere.
_TARGET = "output|save|upload|ckpt|checkpoint|export|remote"
COPIES = re.compile(
    r"push_to_hub|hub_model_id|(?:^|[\s;&|(/])(?:cp|mv|rsync|scp|tar|aws|gsutil|gcloud|azcopy|rclone|ossutil\w*|obsutil|mc|"
    rf"s5cmd|upload\w*)\s|\bupload\b|(?:{_TARGET})(?:(?!{_TARGET})[\w.-])*[= ]\w+://"
)
# Folders in which images start programs, and where a volume with the code may be.
WORKING_DIRS = tuple(
    f"/{path}/" for path in ("workspace", "workdir", "work", "app", "code", "src", "root", "home", "opt/ml", "usr/src")
)


def check(context: RuleContext) -> Diagnostics:
    """Look the paths up in the mounts, each once."""
    run, main = context.spec.run, context.pod.main
    words = " ".join((*run.words, *main.words("command"), *main.words("args")))
    if context.spec.mode.name != "run" or COPIES.search(words):
        return
    names = OUTPUTS | CHECKPOINTS if lost_training(context) else OUTPUTS
    paths: set[str] = set()
    for argument in program_arguments(context):
        path = _path(context.pod, argument) if argument.name in names else None
        if path is None or path in paths or _is_shared(context.pod, path):
            continue
        paths.add(path)
        subject = f"`{redact(argument.text)}`" + (", in the image's working directory," if UNKNOWN in path else "")
        diagnostic = lost_files(context.pod, path, subject, argument.where.span or run.where(run.kind))
        if diagnostic is not None:
            yield diagnostic


def _path(pod: Pod, argument: Argument) -> str | None:
    """Return the absolute path of an argument, None for other values; UNKNOWN is the image's working directory."""
    text, folder = argument.value.text, argument.folder
    if not argument.value.known or NO_PATH.fullmatch(text) or "://" in text or text.startswith("~"):
        return None
    if argument.name == "save" and "/" not in text:
        return None  # the name of something
    if not text.startswith("/") and folder is None:
        persistent = [f"{mount.path}/" for mount in pod.mounts if mount.is_persistent]
        if any(path.startswith(WORKING_DIRS) for path in persistent):
            return None
        folder = f"/{UNKNOWN}"
    if not text.startswith("/") and not folder:
        return None
    return posixpath.normpath(text if text.startswith("/") else f"{folder}/{text}")


def _is_shared(pod: Pod, path: str) -> bool:
    """Return whether another container has the volume, and may copy the files."""
    mount = pod.mount_of(path)
    others = [each for container in pod.sidecars for each in mappings(container.node.get("volumeMounts"))]
    return mount is not None and any(scalar_text(each.get("name")) == mount.volume.name for each in others)
