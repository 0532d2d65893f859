"""LpJobs: https://github.com/TARTRL/TLaunch/blob/67f961f/docs/manual/cluster-user/how-to-run-distributed-job.md"""

from __future__ import annotations

from trainc.systems.traits import Traits

TRAITS = Traits(
    name="lpjob",
    kind="LpJob",
    # https://pypi.org/project/tlaunch/0.0.2 creates the first, the operator of the repository reads the second.
    api_versions=("tartrl.cn/v1alpha1", "realai.cn/v1alpha1"),
    operator="TLaunch's operator",
    foreign_description="TLaunch generates it from a `tlaunchrun` command, which has all that the job needs",
    foreign_help="import that command: `trainc import tlaunchrun -- --lpjob_name NAME torchrun train.py`",
)
