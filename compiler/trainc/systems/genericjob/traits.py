"""GenericJobs: https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/genericjob.md"""

from __future__ import annotations

from trainc.systems.traits import Traits

TRAITS = Traits(
    name="genericjob",
    kind="GenericJob",
    api_versions=("batch.tensorstack.dev/v1beta1",),
    operator="T9k's operator",
    foreign_description="its roles run commands of their own, under T9k's $(rank) and success rules",
    foreign_help="write a TrainingJob for its training role: `launch.basic` sets RANK and WORLD_SIZE for any command,"
    " and success rules of worker 0 are `lifecycle.successPolicy: Leader`",
)
