"""Labels and annotations that operators of Kubeflow's kind do not copy to the pods."""

from __future__ import annotations

from typing import Any

import pytest

import trainc

JOBS = {
    "PyTorchJob": """apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {{name: mnist, {job}}}
spec:
  pytorchReplicaSpecs:
    Worker:
      template: {{metadata: {{{pods}}}, spec: {{containers: [{{name: pytorch, image: "a:1", command: [a]}}]}}}}
""",
    "ElasticJob": """apiVersion: elastic.pytorch.org/v1alpha1
kind: ElasticJob
metadata: {{name: mnist, {job}}}
spec:
  rdzvEndpoint: etcd-service:2379
  replicaSpecs:
    Worker:
      template: {{metadata: {{{pods}}}, spec: {{containers: [{{name: elasticjob-worker, image: "a:1"}}]}}}}
""",
}


def misplaced(kind: str, **metadata: Any) -> list[str]:
    text = JOBS[kind].format(**{"job": "", "pods": "", **metadata})
    diagnostics = [each for each in trainc.compile(text).diagnostics if each.code.id == "TC4016"]
    assert {each.severity for each in diagnostics} <= {"warning"}
    return [each.message for each in diagnostics]


@pytest.mark.parametrize("kind", JOBS)
@pytest.mark.parametrize("field", ["labels", "annotations"])
def test_the_switch_of_istio_works_only_on_the_pods(kind: str, field: str) -> None:
    switch = field + ': {sidecar.istio.io/inject: "false"}'
    message = f"{field[:-1]} `sidecar.istio.io/inject` has no effect on the {kind}: Istio reads it on the pods"
    assert misplaced(kind, job=switch) == [message]
    assert misplaced(kind, pods=switch) == []
    assert misplaced(kind, job=switch, pods=switch) == []


@pytest.mark.parametrize(
    "name",
    [
        *("proxy.istio.io/config", "linkerd.io/inject", "config.linkerd.io/skip-outbound-ports", "gke-gcsfuse/volumes"),
        *(
            "k8s.v1.cni.cncf.io/networks",
            "cluster-autoscaler.kubernetes.io/safe-to-evict",
            "networking.gke.io/interfaces",
        ),
        *("karpenter.sh/do-not-disrupt", "vault.hashicorp.com/agent-inject", "kueue.x-k8s.io/podset-required-topology"),
    ],
)
def test_other_annotations_of_pods(name: str) -> None:
    assert len(misplaced("PyTorchJob", job=f'annotations: {{{name}: "a"}}')) == 1


@pytest.mark.parametrize(
    "metadata",
    [
        "annotations: {example.com/a: b}",
        "annotations: {argocd.argoproj.io/sync-wave: '1'}",
        "labels: {kueue.x-k8s.io/queue-name: a}",
        "labels: {kueue.x-k8s.io/priority-class: a, kueue.x-k8s.io/queue-name: a}",
    ],
)
def test_labels_and_annotations_of_jobs(metadata: str) -> None:
    assert misplaced("PyTorchJob", job=metadata) == []
