"""A function applied to many arguments in forked processes, which inherit all that this one has imported."""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing, suppress
from typing import IO, Any, NoReturn, TypeVar

from trainc.cli.terminal import progress

SIZE = 32  # files of a chunk
Argument = TypeVar("Argument")
Result = TypeVar("Result")
_SIGNALS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}


def processor_count() -> int:
    """Return the number of processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def map_chunks(
    function: Callable[[list[str]], Result | None], names: list[str], processes: int | None, shows_progress: bool
) -> Generator[Result | None, None, None]:
    """Yield what a function returns for chunks of files, in their order; None, as the last one, after a failure.

    `processes` is by default one for each processor. The iterator must be closed.
    """
    # The first file is a chunk of its own: it imports what the others need, before the processes are forked.
    chunks = [names[start : start + SIZE] for start in range(1, len(names), SIZE)]
    count = processes or processor_count()
    with progress(len(names), shows_progress) as report:
        first = function(names[:1])
        report(1)
        yield first
        results = (function(chunk) for chunk in chunks) if count == 1 else ordered_map(function, chunks, count)
        with closing(results):
            for number, result in enumerate(results, 1):
                report(1 + SIZE * number)
                yield result


def ordered_map(
    function: Callable[[Argument], Result | None], arguments: Sequence[Argument], processes: int
) -> Generator[Result | None, None, None]:
    """Yield the results in the order of the arguments; None, as the last one, if the function or a process failed.

    All processes have ended when the iterator is closed, exhausted or interrupted.
    """
    workers: list[_Worker] = []
    try:
        # A signal between fork and the reset of its handlers would run this process's cleanup in the new one, and one
        # before the worker is in the list would leave it behind.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        try:
            for number in range(min(processes, len(arguments))):
                workers.append(_Worker(function, arguments[number::processes], workers, before))
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for number in range(len(arguments)):
            result: Result | None = workers[number % processes].result()
            yield result
            if result is None:
                return
    finally:
        for worker in workers:
            worker.end()


class _Worker:
    """Process that writes its results to a pipe, each as soon as it has it. It ends when nobody reads the pipe."""

    def __init__(
        self,
        function: Callable[[Any], Any],
        arguments: Sequence[Any],
        others: list[_Worker],
        signal_mask: Iterable[int],
    ) -> None:
        reader, writer = os.pipe()
        self._process = os.fork()
        if self._process == 0:
            for number in (*_SIGNALS, signal.SIGPIPE):
                signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, signal_mask)
            os.close(reader)
            for other in others:
                os.close(other._results.fileno())
            _work(function, arguments, writer)
        os.close(writer)
        self._results: IO[bytes] = open(reader, "rb")  # noqa: SIM115  # closed by end()

    def result(self) -> Any:
        """Return the next result, None after a failure."""
        try:
            return pickle.load(self._results)  # noqa: S301  # of an own process
        except (EOFError, pickle.UnpicklingError):  # the process was killed
            return None

    def end(self) -> None:
        """End the process, which may still work."""
        with suppress(ProcessLookupError):
            os.kill(self._process, signal.SIGTERM)
        with suppress(ChildProcessError):
            os.waitpid(self._process, 0)
        self._results.close()


def _work(function: Callable[[Any], Any], arguments: Sequence[Any], writer: int) -> NoReturn:
    """Write the results, up to the first failure, and end without any cleanup of the process that was forked."""
    with suppress(BaseException), open(writer, "wb") as results:  # the parent runs into a failure, too, and reports it
        for argument in arguments:
            result = function(argument)
            pickle.dump(result, results, pickle.HIGHEST_PROTOCOL)
            results.flush()
            if result is None:
                break
    os._exit(0)
