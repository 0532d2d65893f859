"""User and group ids: maps of the rehearsal's user namespace, and of that of each container.

Root maps itself and a range of ids that no user of this machine has; containers get the range. Other users can map
only themselves, and a container's user is then an alias of them.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from trainc.rehearse import linux

_ALL = 2**32 - 1
_FIRST = 2**30  # https://systemd.io/UIDS-GIDS/: within the range for containers
_COUNT = 65536  # ids of a container
_ALIASES = 16  # larger ids of a container, like the users of OpenShift

Maps = dict[str, str]


class UserNamespace:
    """New user namespace of a child process, whose maps only its parent may write."""

    def __init__(self) -> None:
        self._request, self._reply = os.pipe(), os.pipe()

    def enter(self) -> None:
        """Move the child to the namespace and wait for its maps."""
        os.close(self._request[0])
        os.close(self._reply[1])
        linux.unshare(linux.NEW_USERS)
        os.write(self._request[1], b".")
        if not os.read(self._reply[0], 1):
            raise OSError("the user namespace has no ids")

    def admit(self, child: int, maps: Maps) -> None:
        """Write the maps of the child as soon as it has entered, unless it ends before."""
        os.close(self._request[1])
        os.close(self._reply[0])
        if os.read(self._request[0], 1):
            for name, value in maps.items():
                Path(f"/proc/{child}/{name}").write_text(value)
            os.write(self._reply[1], b".")
        os.close(self._reply[1])


def rehearsal_maps() -> Maps:
    """Return the maps of the rehearsal's user namespace."""
    if os.geteuid() == 0 and _mapped() == _ALL:
        both = f"0 0 1\n1 {_FIRST} {_COUNT + _ALIASES}\n"
        return {"uid_map": both, "gid_map": both}
    return {"setgroups": "deny", "uid_map": f"0 {os.geteuid()} 1", "gid_map": f"0 {os.getegid()} 1"}


def is_restricted() -> bool:
    """Return whether the rehearsal's user namespace has a single user."""
    return _mapped() == 1


def container_root() -> int:
    """Return the id, in the rehearsal's user namespace, of root in containers."""
    return 0 if is_restricted() else 1


def container_maps(user: dict[str, Any]) -> Maps:
    """Return the maps of a container for its user."""
    if user["single"]:
        own = container_root()
        return {"uid_map": f"{user['user']} {own} 1", "gid_map": f"{user['group']} {own} 1"}
    return {"uid_map": _map([user["user"]]), "gid_map": _map(user["groups"])}


def container_id(user: dict[str, Any]) -> int:
    """Return the id of a container's user in the rehearsal's user namespace."""
    number: int = user["user"]
    if user["single"]:
        return container_root()
    return next(outer + number - inner for inner, outer, count in _rows([number]) if 0 <= number - inner < count)


def _map(ids: list[int]) -> str:
    return "".join(f"{inner} {outer} {count}\n" for inner, outer, count in _rows(ids))


def _rows(ids: list[int]) -> list[tuple[int, int, int]]:
    large = sorted({number for number in ids if number >= _COUNT})
    return [(0, 1, _COUNT), *((number, 1 + _COUNT + index, 1) for index, number in enumerate(large))]


def _mapped() -> int:
    rows = Path("/proc/self/uid_map").read_text().splitlines()
    return sum(int(row.split()[2]) for row in rows)
