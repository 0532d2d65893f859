"""Objects of an operator's installation, with its webhooks on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ruamel.yaml import YAML

from tests.cluster.api import Object
from tests.cluster.cluster import Cluster
from tests.cluster.operators.build import Installation
from tests.cluster.operators.certificates import Certificates
from tests.cluster.operators.operator import Operator


def definitions(operator: Operator, installation: Installation) -> list[Object]:
    """Return the operator's CRDs."""
    files = [file for pattern in operator.crds for file in sorted(installation.manifests.glob(pattern))]
    assert files, f"{installation.manifests} has no {operator.crds}"
    return [document for file in files for document in _documents(file.read_text("utf-8"))]


def setup(operator: Operator, certificates: Certificates) -> Iterator[Object]:
    """Yield the objects that the operator needs at its start."""
    yield from operator.setup
    namespace, name = operator.certificate
    if name:
        metadata = {"name": name, "namespace": namespace}
        yield {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": certificates.secret}


def webhooks(operator: Operator, folder: Path, cluster: Cluster, certificates: Certificates, port: int) -> list[Object]:
    """Return the configurations of webhooks for kinds that the server has, served on a port of loopback."""
    if not operator.webhooks:
        return []
    documents = [each for each in customized(folder / operator.webhooks, cluster) if "webhooks" in each]
    assert documents, f"{folder / operator.webhooks} has no webhooks"
    kinds = {resource.plural for resource in cluster.api.resources()}
    for document in documents:
        metadata = document["metadata"]
        if "." not in metadata["name"]:  # a generated name, which several operators have
            metadata["name"] = f"{operator.name}-{metadata['name']}"
        document["webhooks"] = [
            each for each in document["webhooks"] if kinds.issuperset(each["rules"][0]["resources"])
        ]
        for webhook in document["webhooks"]:
            url = f"https://127.0.0.1:{port}{webhook['clientConfig']['service']['path']}"
            webhook["clientConfig"] = {"url": url, "caBundle": certificates.encoded("ca.crt")}
    return documents


def customized(folder: Path, cluster: Cluster) -> list[Object]:
    """Return the objects of a kustomization."""
    printed = cluster.run("kustomize", str(folder))
    assert printed.returncode == 0, printed.stderr
    return _documents(printed.stdout)


def _documents(text: str) -> list[Object]:
    return [document for document in YAML(typ="safe").load_all(text) if document]
