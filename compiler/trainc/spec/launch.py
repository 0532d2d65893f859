"""`launch`: launcher of the processes, with its options."""

from __future__ import annotations

from trainc.launchers import registry
from trainc.launchers.traits import Traits
from trainc.source.node import Mapping
from trainc.spec.section import Section, inside, only_key
from trainc.typenames import TYPE_CHECKING, ClassVar, Self

if TYPE_CHECKING:
    from typing import Protocol

    from trainc.commandline.argparse import Table

    class Launched(Protocol):
        """Job with a launch."""

        @property
        def launch(self) -> Launch: ...


class Launch(Section):
    """Base of the launchers' sections: launchers/<name>/spec.py.

    `requested_processes` are the processes in each pod as the file has them: a number, or auto, cpu or gpu.
    With `wraps_program` the launcher is started before the program.
    """

    traits: ClassVar[Traits]

    requested_processes: int | str | None
    wraps_program: bool = True

    @classmethod
    def of(cls, job: Launched) -> Self:
        """Return the section of a job that has this launcher."""
        assert isinstance(job.launch, cls)
        return job.launch

    def processes_per_pod(self, gpus: int) -> int | str:
        """Return the processes in each pod, by default one for each GPU, or a word for the launcher to count them."""
        return self.requested_processes or max(1, gpus)

    @property
    def needs_program(self) -> bool:
        """Return whether trainc must know the program, and can't use the image's entrypoint."""
        return self.wraps_program

    @property
    def has_external_master(self) -> bool:
        """Return whether rank 0's address is not worker 0's."""
        return False

    @property
    def command_name(self) -> str:
        """Name of the command that trainc starts, for messages."""
        return self.traits.name

    @property
    def command_grammar(self) -> Table:
        """Options of that command."""
        from trainc.launchers.grammars import grammar

        return grammar(self.traits.name)

    @property
    def appended_arguments(self) -> tuple[str, ...]:
        """Names of the arguments that trainc appends to the program's own."""
        return ()

    @property
    def sets_thread_count(self) -> bool:
        """Return whether the launcher sets OMP_NUM_THREADS in the processes."""
        return False

    @property
    def rendezvous_section(self) -> Section:
        """The section with the options of the rendezvous."""
        return self

    def port_field(self, name: str) -> tuple[Section, str]:
        """Return the section and the field that set a port of the pods, by the port's name."""
        return self.rendezvous_section, "port"


def read_launch(node: Mapping, name: str) -> Launch:
    """Return the section of the launcher that the file names."""
    launch = inside(node, name)
    launcher = only_key(launch)
    section: type[Launch] = registry.part(launcher, "spec").SECTION
    return section.read(inside(launch, launcher))
