"""`launch.accelerate`: options of `accelerate launch`."""

from __future__ import annotations

from trainc.launchers.accelerate.traits import TRAITS
from trainc.source.node import Mapping, plain
from trainc.spec.launch import Launch
from trainc.spec.section import Section, field, mapping, number, text
from trainc.typenames import Any


class Fsdp(Section):
    """Fully sharded data parallelism."""

    version: int = 1


class Deepspeed(Section):
    """DeepSpeed through accelerate."""

    zero_stage: int | None
    config_file: str | None


class Parallelism(Section):
    """Sizes of the dimensions of parallelism."""

    dp_replicate_size: int = 1
    dp_shard_size: int = 1
    tp_size: int = 1
    cp_size: int = 1


class Accelerate(Launch):
    """Fields that lowering and rules read, None where the file has none.

    The others go from their fields to the options of the option table.
    """

    traits = TRAITS

    requested_processes: int | None = field(number, "nprocPerNode")
    port: int | None
    max_restarts: int | None
    mixed_precision: str | None
    dynamo_backend: str | None
    fsdp: Fsdp | None
    deepspeed: Deepspeed | None
    parallelism: Parallelism | None
    config_content: Mapping | None = field(mapping, "configFile")
    config_path: str | None = field(text, "configFile")
    accelerate_version: str | None
    other_args: tuple[str, ...]

    @property
    def config(self) -> dict[str, Any]:
        """The content of `configFile`; empty if the file is elsewhere, or there is none."""
        content = plain(self.config_content) if self.config_content is not None else {}
        return content if isinstance(content, dict) else {}


SECTION = Accelerate
