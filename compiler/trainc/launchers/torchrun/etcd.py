"""etcd server for a rendezvous with `managed: true`."""

from __future__ import annotations

from trainc.ir.job import Etcd
from trainc.ir.pod import InitCommand
from trainc.launchers.ports import ETCD_PORT
from trainc.launchers.torchrun.spec import Rendezvous
from trainc.spec.job import TrainingJob

# The last minor version with the v2 API, which torch's etcd backends speak through python-etcd:
# https://etcd.io/docs/v3.5/op-guide/configuration/ (--enable-v2, gone in 3.6)
IMAGE = "quay.io/coreos/etcd:v3.5.21"
WAIT = """\
import sys, time, urllib.request
while True:
    try:
        urllib.request.urlopen(sys.argv[1], timeout=5)
        break
    except OSError:
        time.sleep(1)
"""


def lower_etcd(job: TrainingJob, rendezvous: Rendezvous) -> Etcd | None:
    """Return the server, None unless the rendezvous is `managed`."""
    if not rendezvous.managed:
        return None
    return Etcd(name=etcd_name(job), port=ETCD_PORT, image=rendezvous.etcd_image or IMAGE)


def lower_wait(job: TrainingJob, rendezvous: Rendezvous) -> tuple[InitCommand, ...]:
    """Wait for the server: without it torchrun exits at once, and each exit counts as a failure (torch 2.15)."""
    if not rendezvous.managed:
        return ()
    url = f"http://{etcd_name(job)}:{ETCD_PORT}/health"
    return (InitCommand(name="wait-for-etcd", command=("python3", "-c", WAIT, url)),)


def etcd_name(job: TrainingJob) -> str:
    """Return the name of the server's Deployment and Service."""
    return f"{job.metadata.name}-etcd"
