"""Operators that run beside the control plane."""

from __future__ import annotations

import json
import shutil
import ssl
import sys
from base64 import b64encode
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NoReturn
from urllib.error import HTTPError
from urllib.request import HTTPSHandler, ProxyHandler, build_opener

import yaml

from tests.cluster.api import Object
from tests.cluster.binaries import UnavailableError
from tests.cluster.cluster import Cluster, true_condition, wait
from tests.cluster.control_plane import ControlPlane, client_config
from tests.cluster.operators import OPERATORS, certificates, manifests
from tests.cluster.operators.build import install
from tests.cluster.operators.operator import CONFIGURATION, TEMPORARY, WEBHOOK_PORT, Operator
from tests.cluster.operators.sandbox import API_PORT
from tests.cluster.processes import free_ports
from tests.support.examples import ROOT

SERVING = "k8s-webhook-server/serving-certs"  # controller-runtime's default below /tmp


class Operators:
    """Operators, started when a test needs them; they end with the control plane."""

    def __init__(
        self,
        cluster: Cluster,
        plane: ControlPlane,
        log: Callable[[str], None],
        unavailable: Callable[[UnavailableError], NoReturn],
    ) -> None:
        self.cluster, self.plane, self.log, self.unavailable = cluster, plane, log, unavailable
        self.certificates = certificates.create(plane.programs.folder / "certificates")
        self._running: dict[str, tuple[tuple[str, ...], list[Object]]] = {}

    def start(self, name: str, *options: str) -> None:
        """Start an operator with its CRDs and webhooks, unless it runs with these options. Other options restart it."""
        if name in self._running and self._running[name][0] == options:
            return
        self.stop(name)
        operator = OPERATORS[name]
        for required in operator.requires:
            self.start(required)
        try:
            self._start(operator, options)
        except UnavailableError as reason:
            self.unavailable(reason)

    def definitions(self, name: str) -> list[Object]:
        """Return an operator's CRDs."""
        try:
            return list(manifests.definitions(OPERATORS[name], install(OPERATORS[name], self.log)))
        except UnavailableError as reason:
            self.unavailable(reason)

    def stop(self, name: str) -> None:
        """Stop an operator if it runs; its CRDs remain."""
        _, webhooks = self._running.pop(name, ((), []))
        for webhook in webhooks:
            self.cluster.api.delete(webhook["kind"], "", webhook["metadata"]["name"])
        self.plane.programs.stop(name)

    def _start(self, operator: Operator, options: tuple[str, ...]) -> None:
        api, programs = self.cluster.api, self.plane.programs
        installation = install(operator, self.log)
        definitions = manifests.definitions(operator, installation)
        for manifest in (*definitions, *manifests.setup(operator, self.certificates)):
            api.apply(manifest, force="true")
        for definition in definitions:
            name = definition["metadata"]["name"]
            wait(name, partial(_is_established, self.cluster, name))
        api.reset_resources()
        health, port = free_ports(2)
        settings = {
            "program": str(installation.program),
            "arguments": [*operator.arguments, *options],
            "folder": str(self._folder(operator)),
            "kubeconfig": f"{TEMPORARY}/kubeconfig",
            "ports": {operator.health_port: health, WEBHOOK_PORT: port},
            "api": self.plane.server.port,
        }
        sandbox = (sys.executable, "-m", "tests.cluster.operators.sandbox", json.dumps(settings))
        programs.start(operator.name, *sandbox, environment={"PYTHONPATH": f"{ROOT}:{ROOT / 'compiler'}"})
        programs.wait_for(f"http://127.0.0.1:{health}{operator.health_path}")
        webhooks = manifests.webhooks(operator, installation.manifests, self.cluster, self.certificates, port)
        for url in (webhook["clientConfig"]["url"] for each in webhooks for webhook in each["webhooks"]):
            wait(url, partial(_is_served, url))
        for webhook in webhooks:
            api.apply(webhook, force="true")
        self._running[operator.name] = (options, webhooks)
        for folder in operator.objects:
            for manifest in manifests.customized(installation.manifests / folder, self.cluster):
                api.apply(manifest, force="true")

    def _folder(self, operator: Operator) -> Path:
        """Create the files of the operator's /tmp."""
        folder = self.plane.programs.folder / f"tmp-{operator.name}"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.certificates.folder, folder / SERVING)
        config = client_config(API_PORT, self.plane.certificate, "admin")
        certificate = config["clusters"][0]["cluster"].pop("certificate-authority")
        data = b64encode(Path(certificate).read_bytes()).decode()
        config["clusters"][0]["cluster"]["certificate-authority-data"] = data
        (folder / "kubeconfig").write_text(yaml.safe_dump(config))
        (folder / Path(CONFIGURATION).name).write_text(yaml.safe_dump(operator.configuration))
        return folder


def _is_established(cluster: Cluster, definition: str) -> bool:
    return bool(true_condition(cluster.api.get("CustomResourceDefinition", "", definition), "Established"))


def _is_served(url: str) -> bool:
    """Return whether a webhook is registered: servers start before all webhooks are."""
    context = ssl._create_unverified_context()  # a certificate of these tests
    try:
        build_opener(ProxyHandler({}), HTTPSHandler(context=context)).open(url, timeout=5).close()
    except HTTPError as error:
        return error.code != 404
    except OSError:
        return False
    return True
