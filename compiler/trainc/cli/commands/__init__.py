"""Commands: each has a module or a package with its options, and a function that is imported only when it runs."""

from __future__ import annotations

from importlib import import_module

from trainc.cli.parameters import InvalidConfiguration, as_group
from trainc.typenames import Any

# The functions that take the `Options` of a module or package, in the order of --help.
COMMANDS = {
    "compile": "compile.job_compilation.compile_jobs",
    "check": "check.job_check.check_jobs",
    "import": "import_.translation.import_jobs",
    "plan": "plan.job_plans.show_plans",
    "list": "list_.job_list.list_jobs",
    "diff": "diff.comparison.show_diff",
    "status": "status.status_report.report_status",
    "rehearse": "rehearse.supported_systems.rehearse",
    "cluster": "cluster.entry_output.run_action",
    "schema": "schema.print_schema",
    "explain": "explain.subject_pages.explain",
    "init": "init.questions.start_job",
    "post-render": "post_render.render_jobs",
    "krm-function": "krm_function.resource_list.replace_jobs_of_list",
    "mcp": "mcp.serve",
    "lsp": "lsp.serve",
}


def load(name: str) -> type[Any]:
    """Return the record of the options of a command, with their declarations as defaults."""
    options: type[Any] = import_module(f"{__name__}.{COMMANDS[name].partition('.')[0]}").Options
    return options


def run(name: str, values: dict[str, Any]) -> int:
    """Run a command with the values of all its parameters, and report errors of the configuration.

    Returns the exit code. Raises InvalidParameter for an unusable value.
    """
    options = as_group(load(name)).take(dict(values))
    module, _, function = COMMANDS[name].rpartition(".")
    try:
        code: int = getattr(import_module(f"{__name__}.{module}"), function)(options)
    except InvalidConfiguration as problem:
        code = options.messages.report_failure(problem.diagnostics)
    return code
