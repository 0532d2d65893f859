"""Options shared by several commands."""

from __future__ import annotations

import os

from trainc.cli.directories import yaml_files
from trainc.cli.parameters import REQUIRED, argument, flag, option
from trainc.systems.registry import DEFAULT, NAMES

SYSTEMS = f"<{'|'.join(NAMES)}>"

FILES: list[str] = argument(
    REQUIRED, is_list=True, metavar="FILE...", help="Job files or directories; - for standard input."
)
BACKEND = option(DEFAULT, "--backend", "-b", metavar=SYSTEMS, help="System to compile for.", completion="backends")
OWN_BACKEND: str | None = option(
    None,
    "--backend",
    "-b",
    metavar=SYSTEMS,
    help="System to check for.  [default: that of the file; job for trainc's own jobs]",
    completion="backends",
)
NAMESPACE: str | None = option(
    None, "--namespace", "-n", metavar="NS", help="Namespace of all objects; overrides the job file."
)
SETS: list[str] | None = option(
    None,
    "--set",
    is_list=True,
    metavar="PATH=VALUE",
    help="Set a field, e.g. spec.workers=8; null removes it. Repeatable.",
    completion="assignments",
)
VERSION: str | None = option(
    None, "--kubernetes-version", metavar="1.NN", help="Kubernetes version of the cluster.  [default: 1.33]"
)
DOMAIN: str | None = option(
    None, "--cluster-domain", metavar="D", help="Use full DNS names in this domain, e.g. cluster.local."
)
RELEASES: list[str] | None = option(
    None,
    "--target",
    is_list=True,
    metavar="NAME=VERSION",
    help="Version of the back end's controller, e.g. trainer=2.2. Repeatable.",
)

MESSAGE_FORMAT: str | None = option(
    None,
    "--message-format",
    choices=("full", "concise", "json", "sarif", "github", "junit"),
    show_default=False,
    help="Diagnostics format.  [default: full; github in GitHub Actions]",
)

STRICT = flag("--strict", help="Treat warnings as errors.")
SELECT: list[str] | None = option(
    None,
    "--select",
    is_list=True,
    metavar="CODE",
    help="Report only these warnings: TC3019, its name, or TC3. Repeatable.",
    completion="codes",
)
IGNORE: list[str] | None = option(
    None, "--ignore", is_list=True, metavar="CODE", help="Suppress these warnings. Repeatable.", completion="codes"
)
QUIET = flag("--quiet", "-q", help="Print errors only.")


def job_files(files: list[str]) -> list[str]:
    """Return the files, and in place of a directory the YAML files below it, by name, without hidden directories."""
    if not any(map(os.path.isdir, files)):
        return files
    return [name for file in files for name in (yaml_files(file) if os.path.isdir(file) else [file])]
