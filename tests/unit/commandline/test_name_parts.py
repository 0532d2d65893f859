"""Parts of a name: what bash with its filters, and Python, take from it."""

from __future__ import annotations

import os
import platform
import re
import socket
import subprocess
from functools import cache
from typing import Any

import pytest

from trainc.commandline.name_parts import NamePart, name_parts
from trainc.commandline.patterns import glob, regular_expression

NAMES = ("mnist-0", "mnist-worker-0", "my-job-master-10", "a-b-c-worker-12", "node7")
SHELL = r"""
${HOSTNAME##*-}
${HOSTNAME#*-}
${HOSTNAME%-*}
${HOSTNAME%%-*}
${HOSTNAME##*worker-}
${HOSTNAME: -1}
${HOSTNAME:(-2)}
${HOSTNAME:5:3}
${HOSTNAME/mnist-worker-/}
${HOSTNAME//[!0-9]/}
$(hostname | cut -d- -f4-)
$(hostname | cut -d '-' -f 2)
$(hostname|cut -d "-" -f1,3-4)
$(hostname | cut -c 7-)
$(hostname | awk -F- '{print $NF}')
$(hostname | awk -F'-' '{ print $(NF-1); }')
$(hostname | awk -F '[-.]' '{print $3}')
$(hostname | sed 's/.*-//')
$(hostname | sed -E 's/^.*-([0-9]+)$/\1/')
$(hostname | sed -e 's/mnist-//;s/worker-//')
$(hostname | sed 's/\(.*\)-\([^-]*\)$/\2&/')
$(hostname | sed -n 's/.*worker-\([0-9]*\)/\1/p')
$(hostname | sed 's|[^0-9]*||g')
$(hostname | grep -o '[0-9]*$')
$(hostname | grep -Eo '[0-9]+' | tail -1)
$(hostname | grep -oP '\d+' | head -n1)
$(hostname | rev | cut -d- -f1 | rev)
$(hostname | tr -dc 0-9)
$(hostname | tr -cd '[:digit:]')
$(hostname | tr '-' '\n' | tail -n 1)
$(hostname | tr - ' ' | awk '{print $2}')
$(hostname | tail -c 2)
$(uname -n | cut -d- -f2)
$(echo "${HOSTNAME}" | awk -F- "{print \$NF}")
$(printf '%s' "$HOSTNAME" | cut -d- -f2)
$(awk -F- '{print $NF}' <<< $HOSTNAME)
$(cut -d- -f2 <<< "$HOSTNAME")
`hostname | cut -d- -f2`
$([[ `hostname` =~ ^(.+)-([0-9]+)$ ]] && echo ${BASH_REMATCH[1]})
$(IFS=- read -ra P <<< "$HOSTNAME"; echo ${P[1]})
$(IFS='-' read -r -a P <<< $HOSTNAME; echo ${P[-1]})
$(IFS=- read -ra P <<< $HOSTNAME; echo ${P[${#P[@]}-1]})
$(P=(${HOSTNAME//-/ }); echo ${P[2]})
$(H=$(hostname); echo ${H##*-})
$(H=`hostname`; echo $H | cut -d- -f2)
$([[ $HOSTNAME == *-0 ]] && echo 1)
$([ "$HOSTNAME" = "mnist-0" ] && echo 1)
$(case $HOSTNAME in *-worker-0) echo 1;; esac)
$(hostname | grep -q 'worker-[0-9]' && echo 1)
""".strip().split("\n")
PYTHON = r"""
socket.gethostname().split("-")[3]
socket.gethostname().rsplit('-', 1)[1]
socket.gethostname().rpartition("-")[2]
os.environ["HOSTNAME"].split("-")[-2]
os.environ.get("HOSTNAME").split("-")[-1]
os.getenv("HOSTNAME", "x-0").split("-")[-1]
HOSTNAME.split("-")[3]
os.uname().nodename.split("-")[-1]
platform.node()[-1]
platform.node()[-2:]
re.search(r"(\d+)$", socket.gethostname()).group(1)
re.findall(r"\d+", socket.gethostname())[-1]
re.match(r".*-(\d+)", HOSTNAME).group(1)
socket.gethostname().replace("mnist-worker-", "")
socket.gethostname().removeprefix("mnist-")
""".strip().split("\n")


@cache
def bash(name: str) -> list[str]:
    """Return what bash makes of all expressions in a pod with a host name."""
    functions = 'hostname() { echo "$HOSTNAME"; }\nuname() { echo "$HOSTNAME"; }\n'
    script = functions + "".join(f"printf '%s\\0' {text}; printf '\\n\\0'\n" for text in SHELL)
    environment = {"HOSTNAME": name, "PATH": os.defpath, "LC_ALL": "C"}
    out = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, check=True).stdout
    return [" ".join(each.split("\0")).strip() for each in out.split("\n\0")]


def outermost(text: str) -> NamePart:
    return name_parts(text)[-1]


@pytest.mark.parametrize("text", SHELL)
def test_a_part_is_what_the_shell_takes(text: str) -> None:
    part = outermost(text)
    assert part.take is not None
    expected = [bash(name)[SHELL.index(text)] for name in NAMES]
    parts = [part.take(name) for name in NAMES]
    assert ["1" if part.is_test and each else each for each in parts] == expected


@pytest.mark.parametrize("text", PYTHON)
def test_a_part_is_what_python_takes(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    part = outermost(text)
    assert part.take is not None
    for name in NAMES:
        monkeypatch.setenv("HOSTNAME", name)
        monkeypatch.setattr(socket, "gethostname", lambda name=name: name)
        monkeypatch.setattr(platform, "node", lambda name=name: name)
        monkeypatch.setattr(os, "uname", lambda name=name: os.uname_result(("Linux", name, "", "", "")))
        variables: dict[str, Any] = {"socket": socket, "os": os, "platform": platform, "re": re, "HOSTNAME": name}
        try:
            expected = eval(text, variables)
        except (IndexError, AttributeError):
            with pytest.raises(LookupError):
                part.take(name)
        else:
            assert part.take(name) == expected


@pytest.mark.parametrize(
    "text",
    [
        "echo $HOSTNAME; hostname -I | cut -d' ' -f1",
        "# ${HOSTNAME##*-}",
        "MYHOSTNAME=1; echo ${MYHOSTNAME##*-}",
        "${HOSTNAME:-localhost}",
        "hostname || cut -d- -f1 x",
        "print(socket.gethostname())",
    ],
)
def test_other_uses_of_the_host_name_take_no_part(text: str) -> None:
    assert name_parts(text) == []


@pytest.mark.parametrize("text", ["$(hostname | perl -pe 's/.*-//')", "${HOSTNAME##$JOB-}", "$(hostname | cut -f)"])
def test_a_part_may_be_unknown(text: str) -> None:
    assert outermost(text).take is None


@pytest.mark.parametrize("text", ["(a+)+$", "(a|aa)*b", "a*a*a*a*b", "(a{1,9}){1,9}", "[z-a]", "(", r"(a)\1", "(?=a)"])
def test_a_pattern_that_may_be_slow_or_invalid_is_unknown(text: str) -> None:
    assert regular_expression(text) is None
    assert glob(f"{text}****") is None
