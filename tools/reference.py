"""Generate docs/reference.md and docs/project-reference.md from the JSON Schemas; --check only compares."""

from __future__ import annotations

import json
import sys
from typing import Any

from tools.generated import ROOT, write
from trainc.schema.fields import WORDS, kind

SCHEMA, PAGE = ROOT / "schemas" / "trainingjob.json", ROOT / "docs" / "reference.md"
PROJECT_SCHEMA, PROJECT_PAGE = ROOT / "schemas" / "project.json", ROOT / "docs" / "project-reference.md"
Schema = dict[str, Any]

HEAD = """\
# Job file reference

A job file contains one or more YAML documents of kind TrainingJob. This page is generated from the JSON Schema
(`trainc schema`), whose descriptions editors show as well. Fields with a Kubernetes type, such as `Toleration`, are
written as in a manifest. A quantity is a Kubernetes quantity: `500m`, `2`, `16Gi`. An argument is one element of a
command line; numbers and booleans are passed as written.

A minimal job:

```yaml
apiVersion: trainc.dev/v1alpha1
kind: TrainingJob
metadata: {name: mnist}
spec:
  image: pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime
  launch: {torchrun: {nprocPerNode: 8}}
  run: {python: [train.py, --epochs, "3"]}
  workers: 4
  resources: {cpu: 32, memory: 256Gi, gpu: 8}
```
"""
# The sections of the page: title, path of the fields, definition.
SECTIONS = (
    ("metadata", "metadata", "Metadata"),
    ("matrix", "matrix", "Matrix"),
    ("spec", "spec", "Spec"),
    ("launch", "spec.launch", "Launch"),
    ("basic", "spec.launch.basic", "Basic"),
    ("arguments", "spec.launch.basic.arguments", "BasicArguments"),
    ("jax", "spec.launch.jax", "Jax"),
    ("torchrun", "spec.launch.torchrun", "Torchrun"),
    ("rendezvous", "spec.launch.torchrun.rendezvous", "Rendezvous"),
    ("managed", "spec.launch.torchrun.rendezvous.managed", "ManagedEtcd"),
    ("deepspeed", "spec.launch.deepspeed", "Deepspeed"),
    ("mpirun", "spec.launch.mpirun", "Mpirun"),
    ("run", "spec.run", "Run"),
    ("securityContext", "spec.securityContext", "SecurityContext"),
    ("resources", "spec.resources", "Resources"),
    ("gpu", "spec.resources.gpu", "Gpu"),
    ("tpu", "spec.resources.tpu", "Tpu"),
    ("launcherPod", "spec.launcherPod", "LauncherPod"),
    ("elastic", "spec.elastic", "Elastic"),
    ("volumes", "spec.volumes[]", "Volume"),
    ("claim", "spec.volumes[].claim", "Claim"),
    ("mounts", "spec.volumes[].mounts[]", "Mount"),
    ("checkpoint and save", "spec.checkpoint", "StoredPath"),
    ("shareFile", "spec.shareFile", "ShareFile"),
    ("mode", "spec.mode", "Mode"),
    ("debug", "spec.mode.debug", "Debug"),
    ("later pause", "spec.mode.run", "Deferred"),
    ("resumed", "spec.mode.resumed", "Resumed"),
    ("lifecycle", "spec.lifecycle", "Lifecycle"),
    ("exitCodes", "spec.lifecycle.exitCodes", "ExitCodes"),
    ("scheduling", "spec.scheduling", "Scheduling"),
    ("topologyKey", "spec.scheduling.topologyKey", "Topology"),
    ("queue", "spec.scheduling.queue", "Queue"),
    ("gang", "spec.scheduling.gang", "Gang"),
    ("volcano", "spec.scheduling.gang.volcano", "Volcano"),
    ("t9k", "spec.scheduling.gang.t9k", "T9k"),
    ("network", "spec.network", "Network"),
    ("rdma", "spec.network.rdma", "Rdma"),
)
PROJECT_HEAD = """\
# Project file reference

The fields of a project file, `trainc.yaml`. This page is generated from its JSON Schema (`trainc schema project`),
whose descriptions editors show as well. [The project file](project.md) shows what to do with it. All paths are relative
to the directory of the file.
"""
# The same of the project file; its own fields come first.
PROJECT_SECTIONS = (
    ("backends", "backends[]", "BackendRule"),
    ("defaults", "defaults", "Defaults"),
    ("environments", "environments.NAME", "Environment"),
    ("ignores", "ignores[]", "Ignore"),
)
LINKS = {name: title.replace(" ", "-").lower() for title, _, name in (*SECTIONS, *PROJECT_SECTIONS)}


def page() -> str:
    """Return the whole page of job files."""
    definitions = json.loads(SCHEMA.read_text())["definitions"]
    return HEAD + "".join(section(title, path, definitions[name], definitions) for title, path, name in SECTIONS)


def project_page() -> str:
    """Return the whole page of project files."""
    schema = json.loads(PROJECT_SCHEMA.read_text())
    definitions = schema["definitions"]
    sections = [section("trainc.yaml", "", schema, definitions)]
    sections += [section(title, path, definitions[name], definitions) for title, path, name in PROJECT_SECTIONS]
    return PROJECT_HEAD + "".join(sections)


def section(title: str, path: str, schema: Schema, definitions: Schema) -> str:
    """Return a heading with the table of its fields."""
    lines = [f"\n## {title}\n"]
    if "description" in schema:
        lines.append(f"{schema['description']}\n")
    lines += ["| field | value | meaning |", "|---|---|---|"]
    required = schema.get("required", [])
    for name, inner in schema["properties"].items():
        marks = " **required**" if name in required else ""
        default = f" Default: `{json.dumps(inner['default'])}`." if "default" in inner else ""
        described = inner if "description" in inner else definitions.get(inner.get("$ref", "").rpartition("/")[2], {})
        text = described.get("description", "").replace("|", "\\|")
        field = f"{path}.{name}".lstrip(".")
        lines.append(f"| `{field}`{marks} | {kind(inner, linked)} | {text}{default}{example(inner)} |")
    return "\n".join(lines) + "\n"


def example(schema: Schema) -> str:
    """Return the schema's first example as in a job file."""
    if not schema.get("examples"):
        return ""
    value = schema["examples"][0]
    return f" Example: `{value if isinstance(value, str) else json.dumps(value)}`."


def linked(name: str) -> str:
    """Return a type's name, with a link if the page has a section for it."""
    return f"[{name}](#{LINKS[name]})" if name in LINKS else WORDS.get(name, name)


def main() -> int:
    """Write the pages, or with --check report whether they are up to date."""
    return write({PAGE: page(), PROJECT_PAGE: project_page()}, "tools.reference")


if __name__ == "__main__":
    sys.exit(main())
