"""Options of toyrun, with the fields that set them."""

from __future__ import annotations

from trainc.launchers.option import Field, Option

PRODUCT = "toyrun"

OPTIONS = (
    Option(
        name="slots",
        kind="count",
        field="launch.toyrun.slots",
        description="Processes in each pod.",
        schema={"minimum": 1},
    ),
    Option(name="verbose", kind="switch", since="1.2", field="launch.toyrun.verbose", description="Log every message."),
    Option(name="nodes", kind="count", field="workers"),
    # Set by trainc in each pod.
    Option(name="rank", kind="count"),
    Option(name="master"),
)
FIELDS: tuple[Field, ...] = OPTIONS
DEFINITIONS = {"Toyrun": ("launch.toyrun", "toyrun in every pod.")}
