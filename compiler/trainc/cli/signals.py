"""Ctrl-C, SIGTERM and SIGHUP, deferred while files are written."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from trainc.typenames import Any

_SIGNALS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}


@contextmanager
def deferred() -> Iterator[None]:
    """Defer the signals to the end of the block, where they end the process as usual."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def stop_if_signaled() -> None:
    """Raise KeyboardInterrupt if a signal is deferred."""
    if signal.sigpending() & _SIGNALS:
        raise KeyboardInterrupt


@contextmanager
def interruptible() -> Iterator[None]:
    """Let a signal interrupt the block, in a deferred one, with KeyboardInterrupt; it is sent again after the block."""
    received: list[int] = []

    def interrupt(number: int, frame: Any) -> None:
        for each in before:  # another one must not interrupt the cleanup
            signal.signal(each, lambda *_: None)
        received.append(number)
        raise KeyboardInterrupt

    before = {each: signal.signal(each, interrupt) for each in _SIGNALS if signal.getsignal(each) != signal.SIG_IGN}
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        for each, handler in before.items():
            signal.signal(each, handler)
        for number in received:
            os.kill(os.getpid(), number)
