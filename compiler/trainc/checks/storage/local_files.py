"""Local files that can't be read, don't fit into a ConfigMap, or contain secrets."""

from __future__ import annotations

import json
from itertools import islice

from trainc.checks.rule import Diagnostics, RuleContext, codes, error, warning
from trainc.ir.pod import FileMap
from trainc.secrets.formats import find_formats
from trainc.well_known import MAX_CONFIG_MAP

TRIGGERS = ("has_local_files()",)

# Bytes of all annotations of an object, of which `kubectl apply` adds one with the whole object:
# https://github.com/kubernetes/kubernetes/blob/v1.33.0/staging/src/k8s.io/apimachinery/pkg/api/validation/objectmeta.go#L36
_ANNOTATIONS = 256 * 1024
_METADATA = 1024  # of the ConfigMap, about


def check(context: RuleContext) -> Diagnostics:
    """Report files that are missing or outside the job's directory, and the limits of a ConfigMap and of kubectl."""
    for files in context.job.file_maps:
        for problem in files.problems:
            yield error(codes.UNUSABLE_FILE, problem.message, problem.where, help=problem.help or None)
        for name, content in files.contents.items():
            for *_, kind in islice(find_formats(content.decode(errors="replace")), 1):
                message = (
                    f"file `{name}` contains {kind} in plain text, and everybody may read it who may read the ConfigMap"
                )
                help_ = "move it to a Secret, and mount that by `secret: {secretName: …}`"
                yield warning(codes.PLAIN_TEXT_SECRET, message, files.origin, help=help_)
        if files.size > MAX_CONFIG_MAP:
            message = f"the files have {files.size} bytes, more than the {MAX_CONFIG_MAP} of a ConfigMap"
            yield error(codes.FILES_TOO_LARGE, message, files.origin, help="put them into the image or on a volume")
        elif not files.problems and _json_size(files) > _ANNOTATIONS - _METADATA:
            message = "`kubectl apply` copies the object into an annotation, which is limited to 256 KiB"
            yield warning(
                codes.NEEDS_SERVER_SIDE_APPLY, message, files.origin, help="use `kubectl apply --server-side`"
            )


def _json_size(files: FileMap) -> int:
    """Return about the bytes of the contents in JSON, where binary data is base64."""
    size = 0
    for content in files.contents.values():
        try:
            text = json.dumps(content.decode(), ensure_ascii=False)
        except UnicodeDecodeError:
            size += len(content) * 4 // 3
        else:
            size += len(text.encode()) + sum(map(text.count, "<>&")) * 5  # which Go writes as \\u003c
    return size
