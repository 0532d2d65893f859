"""Provisioner of volumes in place of a CSI driver's: https://github.com/kubernetes-csi/external-provisioner

The controller of persistent volumes is the real one: it binds the volumes to their claims.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tests.cluster.api import Api, ApiError, Object
from tests.support.random_volumes import CLASSES, DELAYED, ZONE, volume

SELECTED_NODE = "volume.kubernetes.io/selected-node"
PAUSE = 0.2  # seconds between two looks at the claims


@contextmanager
def provisioner(api: Api, namespace: str, seed: int) -> Iterator[None]:
    """Create volumes for the claims of a namespace: in the zone of the selected node, or in any zone of the class."""
    ended = threading.Event()
    thread = threading.Thread(target=_run, args=(api, namespace, random.Random(seed), ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _run(api: Api, namespace: str, source: random.Random, ended: threading.Event) -> None:
    path, done = api.of_kind("PersistentVolumeClaim").path(namespace), set[str]()
    while not ended.wait(PAUSE):
        for claim in api.call("GET", path)["items"]:
            uid = claim["metadata"]["uid"]
            if uid not in done and not claim["spec"].get("volumeName") and _provision(api, claim, source):
                done.add(uid)


def _provision(api: Api, claim: Object, source: random.Random) -> bool:
    """Create the volume of a claim, unless no node is selected yet."""
    name = claim["spec"]["storageClassName"]
    mode, zones = CLASSES[name]
    node = claim["metadata"].get("annotations", {}).get(SELECTED_NODE)
    if mode == DELAYED and not node:
        return False
    zone = ""
    if zones and node:
        zone = api.get("Node", "", node)["metadata"]["labels"][ZONE]
    elif zones:
        zone = source.choice(zones)
    try:
        api.create(volume(f"pvc-{claim['metadata']['uid']}", name, claim, {ZONE: [zone]} if zone else {}))
    except ApiError as error:
        if error.code != 409:
            raise
    return True
