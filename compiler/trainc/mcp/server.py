"""Tools of the server, with the options of the commands of the same names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Annotated, Any, Literal

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field

from trainc.mcp.calls import Caller, Result
from trainc.systems.registry import NAMES, READABLE

_INSTRUCTIONS = """\
trainc compiles a short YAML job file (apiVersion: trainc.dev/v1alpha1, kind: TrainingJob) to Kubernetes manifests for
distributed training, and checks offline whether the job can start. Check a job before you propose it; `explain` has a
page for each code such as TC3069, for each field such as spec.elastic, and for topics. A call needs no cluster, changes
nothing and contacts nobody. Secrets in outputs are masked."""

Job = Annotated[str, Field(description="Text of a job file, or of another system's manifests. Or pass `paths`.")]
Paths = Annotated[tuple[str, ...], Field(description="Files or directories below the roots of the server.")]
Backend = Annotated[str, Field(description=f"System that runs the job: {', '.join(NAMES)}. Empty: the default.")]
Kubernetes = Annotated[str, Field(description="Kubernetes version of the cluster, such as 1.33.")]
Sets = Annotated[tuple[str, ...], Field(description="Changes of fields, such as spec.workers=8; null removes one.")]


def create_server(roots: Sequence[str]) -> MCPServer[Any]:
    """Return a server with the tools; they read no files but those below `roots`."""
    server: MCPServer[Any] = MCPServer(
        "trainc", instructions=_INSTRUCTIONS, version=version("trainc"), log_level="ERROR"
    )
    caller = Caller(roots)

    def check(
        job: Job = "", paths: Paths = (), backend: Backend = "", kubernetes_version: Kubernetes = "", sets: Sets = ()
    ) -> Result:
        """Check jobs: what would fail, and what to change. Exit code 1 if there is an error."""
        options = _options(backend=backend, kubernetes_version=kubernetes_version, set=sets)
        return _of_job(caller, "check", options, job, paths)

    def compile(
        job: Job = "", paths: Paths = (), backend: Backend = "", kubernetes_version: Kubernetes = "", sets: Sets = ()
    ) -> Result:
        """Compile jobs to Kubernetes manifests. No output if there is an error."""
        options = _options(backend=backend, kubernetes_version=kubernetes_version, set=sets)
        return _of_job(caller, "compile", options, job, paths)

    def plan(
        job: Job = "",
        paths: Paths = (),
        backend: Backend = "",
        kubernetes_version: Kubernetes = "",
        sets: Sets = (),
        manifests: Annotated[bool, Field(description="Plan Kubernetes manifests instead of a job file.")] = False,
        format: Literal["text", "json", "mermaid"] = "text",
    ) -> Result:
        """Show what every pod of a job runs: ranks, names, environment, command lines, what follows a failure."""
        options = _options(backend=backend, kubernetes_version=kubernetes_version, set=sets, format=format)
        return _of_job(caller, "plan", [*options, *(["--manifests"] if manifests else [])], job, paths)

    def diff(
        old: Annotated[str, Field(description="Text of a job file or of manifests before the change.")],
        new: Annotated[str, Field(description="The same after the change.")],
        backend: Backend = "",
    ) -> Result:
        """Show what a change does to a running job: which objects change in place, where training starts again."""
        return caller.call("diff", _options(backend=backend), {"old.yaml": old, "new.yaml": new})

    def import_(
        manifest: Annotated[str, Field(description=f"YAML of {', '.join(each.kind for each in READABLE)}.")] = "",
        script: Annotated[str, Field(description="Launch command or Slurm script, such as torchrun train.py.")] = "",
        sets: Sets = (),
    ) -> Result:
        """Convert another system's job or a launch command to a job file. A command needs a set of spec.image."""
        if bool(manifest) is bool(script):
            raise ToolError("pass either `manifest` or `script`")
        texts = {"manifest.yaml": manifest} if manifest else {"launch.sh": script}
        return caller.call("import", _options(set=sets), texts)

    def explain(
        subject: Annotated[
            str, Field(description="TC3069, spec.elastic, a topic, or a word. Empty: all of them.")
        ] = "",
    ) -> Result:
        """Explain a code, a field of job files, a topic or a word."""
        if subject.startswith("-"):
            raise ToolError(f"no code, field or topic starts with a dash: {subject!r}")
        return caller.call("explain", [subject] if subject else [], {})

    tools: dict[str, Callable[..., Result]] = {
        **{function.__name__: function for function in (check, compile, plan, diff, explain)},
        "import": import_,
    }
    annotations = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
    for name, function in tools.items():
        server.tool(name, annotations=annotations)(function)
    return server


def _of_job(caller: Caller, command: str, options: list[str], job: str, paths: Sequence[str]) -> Result:
    if bool(job) is bool(paths):
        raise ToolError("pass either `job` or `paths`")
    return caller.call(command, options, {"job.yaml": job} if job else {}, paths)


def _options(**values: str | tuple[str, ...]) -> list[str]:
    """Return the options that have a value, each as one argument: a value can't be another option."""
    pairs = ((name, each) for name, value in values.items() for each in ([value] if isinstance(value, str) else value))
    return [f"--{name.replace('_', '-')}={value}" for name, value in pairs if value]
