"""Options of wrapper commands, which start the rest of their line, by the parsers of the named versions.

They are from a wrapper's `--help` as executed unless the source says otherwise.
"""

from __future__ import annotations

from trainc.commandline.argparse import Table, table
from trainc.record import Record


class Wrapper(Record):
    """Options of a wrapper: switches, options with a value, and options whose value must be attached.

    `positionals` are the arguments between the options and the command, `subcommand` what starts it in a runner.
    """

    source: str
    flags: str = ""
    values: str = ""
    optional: str = ""
    positionals: int = 0
    subcommand: str = "run"
    abbreviates: bool = True

    @property
    def table(self) -> Table:
        """Options for the argv parser."""
        return table(self.flags, self.values, self.abbreviates, optional=self.optional)


SUDO = "sudo"
_COREUTILS, _UTIL_LINUX = "GNU coreutils 9.1", "util-linux 2.38.1"
WRAPPERS: dict[str, Wrapper] = {
    "exec": Wrapper(source="bash 5.2, help exec", flags="-c -l", values="-a"),
    "command": Wrapper(source="bash 5.2, help command", flags="-p"),
    "time": Wrapper(
        source="GNU time 1.9",
        flags="-a|--append -p|--portability -q|--quiet -v|--verbose",
        values="-f|--format -o|--output",
    ),
    "nohup": Wrapper(source=_COREUTILS),
    "nice": Wrapper(source=_COREUTILS, values="-n|--adjustment"),
    "stdbuf": Wrapper(source=_COREUTILS, values="-i|--input -o|--output -e|--error"),
    "timeout": Wrapper(
        source=_COREUTILS,
        flags="--foreground --preserve-status -v|--verbose",
        values="-k|--kill-after -s|--signal",
        positionals=1,
    ),
    "ionice": Wrapper(source=_UTIL_LINUX, flags="-t|--ignore", values="-c|--class -n|--classdata"),
    "setsid": Wrapper(source=_UTIL_LINUX, flags="-c|--ctty -f|--fork -w|--wait"),
    "taskset": Wrapper(source=_UTIL_LINUX, flags="-a|--all-tasks -c|--cpu-list", positionals=1),
    "chrt": Wrapper(
        source=_UTIL_LINUX,
        flags="-a|--all-tasks -b|--batch -d|--deadline -f|--fifo -i|--idle -o|--other -r|--rr -R|--reset-on-fork"
        " -v|--verbose",
        values="-T|--sched-runtime -P|--sched-period -D|--sched-deadline",
        positionals=1,
    ),
    "numactl": Wrapper(
        source="numactl 2.0.16",
        flags="-a|--all -b|--balancing -l|--localalloc",
        values="-i|--interleave -m|--membind -N|--cpunodebind -c|--cpubind -C|--physcpubind -p|--preferred"
        " -P|--preferred-many",
    ),
    "tini": Wrapper(source="tini 0.19.0", flags="-g -s -v -w", values="-p -e"),
    "dumb-init": Wrapper(source="dumb-init 1.2.5", flags="-c|--single-child -v|--verbose", values="-r|--rewrite"),
    "catchsegv": Wrapper(source="glibc 2.34, catchsegv(1)"),
    "gosu": Wrapper(source="gosu 1.14", positionals=1),
    "su-exec": Wrapper(source="README.md of https://github.com/ncopa/su-exec, read", positionals=1),
    "setpriv": Wrapper(
        source=_UTIL_LINUX,
        flags="--nnp|--no-new-privs --clear-groups --keep-groups --init-groups",
        values="--ambient-caps --inh-caps --bounding-set --ruid --euid --rgid --egid --reuid --regid --groups"
        " --securebits --pdeathsig --selinux-label --apparmor-profile",
    ),
    SUDO: Wrapper(
        source="sudo 1.9.13p3",
        flags="-A|--askpass -B|--bell -E -H|--set-home -k|--reset-timestamp -N|--no-update -n|--non-interactive"
        " -P|--preserve-groups -S|--stdin",
        values="-C|--close-from -D|--chdir -g|--group --host -p|--prompt -R|--chroot -r|--role -t|--type"
        " -T|--command-timeout -u|--user",
        optional="--preserve-env",
    ),
    "xvfb-run": Wrapper(
        source="xserver 21.1.7, xvfb-run",
        flags="-a|--auto-servernum -l|--listen-tcp",
        values="-e|--error-file -f|--auth-file -n|--server-num -p|--xauth-protocol -s|--server-args -w|--wait",
    ),
    "ddtrace-run": Wrapper(source="ddtrace 4.16.0", flags="-d|--debug -p|--profiling -nc|--colorless"),
    "ncu": Wrapper(
        source="Nsight Compute 2022.3.0",
        flags="--call-stack --nvtx --support-32bit --null-stdin --section-folder-restore --disable-profiler-start-stop"
        " --quiet -f|--force-overwrite --open-in-ui --csv --details-all --print-fp --print-rule-details",
        values="--mode -p|--port --max-connections --check-exit-code --injection-path-32 --injection-path-64"
        " --target-processes --target-processes-filter --hostname --kill --replay-mode --app-replay-buffer"
        " --app-replay-match --app-replay-mode --range-replay-options --set --section-folder"
        " --section-folder-recursive --apply-rules --rule --import-source --profile-from-start --cache-control"
        " --clock-control --devices --filter-mode --kernel-id -k|--kernel-name --kernel-name-base -c|--launch-count"
        " -s|--launch-skip --launch-skip-before-match --section --metrics --nvtx-include --nvtx-exclude"
        " --sampling-interval --sampling-max-passes --sampling-buffer-size --log-file -o|--export --page"
        " --print-source --resolve-source-file --print-units --print-kernel-base --print-metric-instances"
        " --print-nvtx-rename --print-summary",
    ),
    "neuron_parallel_compile": Wrapper(
        source="https://awsdocs-neuron.readthedocs-hosted.com/en/latest/frameworks/torch/torch-neuronx/api-reference-"
        "guide/training/pytorch-neuron-parallel-compile.html",
        values="--command --num_parallel",
    ),
}
_MAMBA_FLAGS = "-d|--detach --clean-env"
_MAMBA_VALUES = "-n|--name -p|--prefix -r|--root-prefix --relocate-prefix -a|--attach --cwd -e|--env --label"
# Commands of which one subcommand starts the rest of the line.
RUNNERS: dict[str, Wrapper] = {
    "conda": Wrapper(
        source="https://github.com/conda/conda/tree/0f64223f (August 2026), executed from its source",
        flags="-v|--verbose --debug --trace --dev --debug-wrapper-scripts -s|--no-capture-output|--live-stream",
        values="-n|--name -p|--prefix --cwd",
    ),
    "micromamba": Wrapper(
        source="micromamba/src/run.cpp and common_options.cpp of https://github.com/mamba-org/mamba, 2.8.1, read",
        flags=_MAMBA_FLAGS,
        values=_MAMBA_VALUES,
        abbreviates=False,
    ),
    # Release 2 is micromamba with another name, 1 passes `run` to conda.
    "mamba": Wrapper(
        source="those of micromamba 2.8.1, read, and of conda",
        flags=f"{_MAMBA_FLAGS} -v|--verbose --dev --debug-wrapper-scripts -s|--no-capture-output|--live-stream",
        values=_MAMBA_VALUES,
        abbreviates=False,
    ),
    # Without -n|--dry-run, with which nothing starts.
    "pixi": Wrapper(
        source="https://pixi.prefix.dev/v0.81.0/reference/cli/pixi/run/, and crates/pixi_cli/src/run.rs and"
        " crates/pixi_config/src/lib.rs of https://github.com/prefix-dev/pixi/tree/v0.77.0, read",
        flags="-x|--executable --clean-env --skip-deps --templated --no-config --run-post-link-scripts"
        " --no-symbolic-links --no-hard-links --no-ref-links --tls-no-verify --use-environment-activation-cache"
        " --force-activate --no-completions --no-install --revalidate --no-lock-file-update --no-lockfile-update"
        " --frozen --locked --as-is -q|--quiet -v|--verbose --no-progress",
        values="-e|--environment -p|--platform --config-file --auth-file --concurrent-downloads --concurrent-solves"
        " --pinning-strategy --pypi-keyring-provider --tls-root-certs -m|--manifest-path -w|--workspace -s|--script"
        " --color",
        optional="--offline",
        abbreviates=False,
    ),
    "pdm": Wrapper(
        source="pdm 2.29.4",
        flags="-v|--verbose -q|--quiet -g|--global -s|--site-packages --recreate",
        values="-p|--project -k|--skip --env-file --working-dir",
    ),
    "hatch": Wrapper(
        source="hatch 1.18.2",
        flags="-v|--verbose -q|--quiet --color --no-color --interactive --no-interactive",
        values="-e|--env -p|--project --data-dir --cache-dir --config",
        abbreviates=False,
    ),
    "rye": Wrapper(
        source="https://rye.astral.sh/guide/commands/run/, read", values="--pyproject --venv", abbreviates=False
    ),
    "newrelic-admin": Wrapper(source="newrelic 14.1.0, newrelic-admin help run-program", subcommand="run-program"),
    "poetry": Wrapper(source="poetry 2.5.1", flags="-q|--quiet -n|--no-interaction --no-plugins"),
    "pipenv": Wrapper(source="pipenv 2026.10.3", flags="--system"),
    "uv": Wrapper(
        source="uv 0.13.9",
        flags="--all-extras --no-dev --only-dev --no-default-groups --all-groups -m|--module --no-editable --exact"
        " --no-env-file --isolated --active --no-sync --locked --frozen -s|--script --gui-script --all-packages"
        " --no-project --no-index -U|--upgrade --no-sources --reinstall --compile-bytecode --no-build-isolation"
        " --no-build --no-binary -n|--no-cache --refresh --managed-python --no-managed-python --no-python-downloads"
        " -q|--quiet -v|--verbose --system-certs --offline --no-progress --no-config",
        values="--extra --no-extra --group --no-group --only-group --no-editable-package --env-file -w|--with"
        " --with-editable --with-requirements --package --python-platform --index --default-index -i|--index-url"
        " --extra-index-url -f|--find-links --index-strategy --keyring-provider -P|--upgrade-package --upgrade-group"
        " --resolution --prerelease --prerelease-package --fork-strategy --exclude-newer --exclude-newer-package"
        " --no-sources-package --reinstall-package --link-mode -C|--config-setting --config-settings-package"
        " --no-build-isolation-package --no-build-package --no-binary-package --cache-dir --refresh-package"
        " -p|--python --color --allow-insecure-host --directory --project --config-file",
        abbreviates=False,
    ),
}
