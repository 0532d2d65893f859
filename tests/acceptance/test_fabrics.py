"""The goldens of the fabrics have each field of the vendors' reference manifests, and no field that these lack.

The values are those of the manifests, read at the commits below. Left out are fields of the benchmark itself: image,
command, size of /dev/shm, and variables for logging and tuning of nccl-tests.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from trainc.fabrics import load
from trainc.resources import folder

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
FABRICS = sorted(path.stem for path in Path(folder("schemas"), "fabrics").glob("*.json"))
GPU = "nvidia.com/gpu"
LIB64 = "/usr/local/nvidia/lib64"
Pod = dict[str, Any]


def interfaces(first: int, *networks: str) -> list[dict[str, str]]:
    names = [{"interfaceName": f"eth{first + number}", "network": name} for number, name in enumerate(networks)]
    return [{"interfaceName": "eth0", "network": "default"}, *names]


# micro-benchmarks/nccl-tests/kubernetes/nccl-tests.yaml of aws-samples/awsome-distributed-training, 7217859
EFA: Pod = {
    "limits": {GPU: "8", "hugepages-2Mi": "5120Mi", "vpc.amazonaws.com/efa": "32"},
    "env": {"FI_PROVIDER": "efa", "FI_EFA_FORK_SAFE": "1"},
    "node_selector": {"node.kubernetes.io/instance-type": "p5.48xlarge"},
}
# example/rdma-gpu-test-pod1.yml of Mellanox/network-operator, b06827e
ROCE: Pod = {
    "limits": {GPU: "8", "rdma/rdma_shared_device_a": "1"},
    "annotations": {"k8s.v1.cni.cncf.io/networks": "rdma-net-ipam"},
    "security": {"capabilities": {"add": ["IPC_LOCK"]}},
}
# The same without a network, and with the resource of the example's cluster.
INFINIBAND: Pod = {
    "limits": {GPU: "8", "rdma/ib": "1"},
    "security": {"capabilities": {"add": ["IPC_LOCK"]}},
}
# gpudirect-tcpxo/nccl-test-latest.yaml of GoogleCloudPlatform/container-engine-accelerators, 992db81; the variables of
# NCCL are those of gpudirect-tcpxo/README.md, Jan 9, 2026.
GPUS = [f"/dev/nvidia{number}" for number in range(8)]
TCPXO: Pod = {
    "limits": {GPU: "8"},
    "annotations": {
        "devices.gke.io/container.tcpxo-daemon": [
            {"path": path} for path in (*GPUS, "/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/dmabuf_import_helper")
        ],
        "networking.gke.io/default-interface": "eth0",
        "networking.gke.io/interfaces": interfaces(1, *(f"vpc{number}" for number in range(1, 9))),
    },
    "env": {
        "LD_LIBRARY_PATH": LIB64,
        "NCCL_FASTRAK_LLCM_DEVICE_DIRECTORY": "/dev/aperture_devices",
        "NCCL_FASTRAK_CTRL_DEV": "eth0",
        "NCCL_FASTRAK_IFNAME": "eth1,eth2,eth3,eth4,eth5,eth6,eth7,eth8",
        "NCCL_SOCKET_IFNAME": "eth0",
        "NCCL_CROSS_NIC": "0",
        "NCCL_PROTO": "Simple,LL128",
        "NCCL_MIN_NCHANNELS": "4",
        "NCCL_TUNER_PLUGIN": "libnccl-tuner.so",
        "NCCL_TUNER_CONFIG_PATH": f"{LIB64}/a3plus_tuner_config.textproto",
        "NCCL_SHIMNET_GUEST_CONFIG_CHECKER_CONFIG_FILE": f"{LIB64}/a3plus_guest_config.textproto",
        "NCCL_NVLSTREE_MAX_CHUNKSIZE": "131072",
        "NCCL_P2P_NET_CHUNKSIZE": "524288",
        "NCCL_P2P_PCI_CHUNKSIZE": "524288",
        "NCCL_P2P_NVL_CHUNKSIZE": "1048576",
        "NCCL_FASTRAK_NUM_FLOWS": "2",
        "NCCL_FASTRAK_USE_SNAP": "1",
        "NCCL_FASTRAK_PLUGIN_ACCEPT_TIMEOUT_MS": "600000",
        "NCCL_FASTRAK_ENABLE_CONTROL_CHANNEL": "0",
        "NCCL_BUFFSIZE": "8388608",
        "NCCL_NET_GDR_LEVEL": "PIX",
        "NCCL_FASTRAK_ENABLE_HOTPATH_LOGGING": "0",
        "NCCL_FASTRAK_USE_LLCM": "1",
        "NCCL_NVLS_ENABLE": "1",
    },
    "mounts": {LIB64: "/home/kubernetes/bin/nvidia/lib64", "/dev/aperture_devices": "/dev/aperture_devices"},
    "sidecar": {
        "name": "tcpxo-daemon",
        "image": "us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpxo/tcpgpudmarxd-dev:v1.0.21",
        "imagePullPolicy": "Always",
        "restartPolicy": "Always",  # gpudirect-tcpxo/best-practice.md
        "command": ["/bin/sh", "-c"],
        "args": [
            "set -ex\nchmod 755 /fts/entrypoint_rxdm_container.sh\n/fts/entrypoint_rxdm_container.sh --num_hops=2\n"
        ],
        "securityContext": {"capabilities": {"add": ["NET_ADMIN", "NET_BIND_SERVICE"]}},
        "env": {"LD_LIBRARY_PATH": LIB64},
        "mounts": {
            LIB64: "/home/kubernetes/bin/nvidia/lib64",
            "/hostsysfs": "/sys",
            "/hostprocsysfs": "/proc/sys",
        },
    },
    "node_selector": {"cloud.google.com/gke-accelerator": "nvidia-h100-mega-80gb"},
}
# gpudirect-rdma/nccl-test-a4.yaml of the same repository; the variables of NCCL are those of google/dranet's page
# "Ray on GKE using DRANET", 2025-07-14, the path of gIB's libraries that of nccl-test-a4x-max-jobset.yaml.
RDMA: Pod = {
    "limits": {GPU: "8"},
    "annotations": {
        "networking.gke.io/default-interface": "eth0",
        "networking.gke.io/interfaces": interfaces(2, *(f"rdma-{number}" for number in range(8))),
    },
    "env": {
        "LD_LIBRARY_PATH": f"/usr/local/gib/lib64:{LIB64}",
        "NCCL_NET": "gIB",
        "NCCL_CROSS_NIC": "0",
        "NCCL_NET_GDR_LEVEL": "PIX",
        "NCCL_P2P_NET_CHUNKSIZE": "131072",
        "NCCL_NVLS_CHUNKSIZE": "524288",
        "NCCL_IB_ADAPTIVE_ROUTING": "1",
        "NCCL_IB_QPS_PER_CONNECTION": "4",
        "NCCL_IB_TC": "52",
        "NCCL_IB_FIFO_TC": "84",
        "NCCL_TUNER_CONFIG_PATH": "/usr/local/gib/configs/tuner_config_a4.txtpb",
    },
    "mounts": {"/usr/local/nvidia": "/home/kubernetes/bin/nvidia", "/usr/local/gib": "/home/kubernetes/bin/gib"},
    "node_selector": {"cloud.google.com/gke-accelerator": "nvidia-b200"},
}
REFERENCES = {"efa": EFA, "infiniband": INFINIBAND, "roce": ROCE, "gke-tcpxo": TCPXO, "gke-rdma": RDMA}


def pod_template(golden: Path) -> Pod:
    (job,) = (each for each in yaml.safe_load_all(golden.read_text("utf-8")) if each["kind"] == "Job")
    template: Pod = job["spec"]["template"]
    return template


def container_fields(container: Pod, volumes: dict[str, str]) -> Pod:
    mounts = {each["mountPath"]: volumes[each["name"]] for each in container["volumeMounts"] if each["name"] in volumes}
    env = {each["name"]: each.get("value") for each in container["env"]}
    return {"env": {name: value for name, value in env.items() if not name.startswith("PET_")}, "mounts": mounts}


def fields(template: Pod) -> Pod:
    """Return the fields of a pod that a fabric may set, in the form of the references."""
    spec = template["spec"]
    (main,) = spec["containers"]
    volumes = {each["name"]: each["hostPath"]["path"] for each in spec["volumes"] if "hostPath" in each}
    annotations = dict(template["metadata"].get("annotations", {}))
    for name, parse in (
        ("networking.gke.io/interfaces", json.loads),
        ("devices.gke.io/container.tcpxo-daemon", yaml.safe_load),
    ):
        if name in annotations:
            annotations[name] = parse(annotations[name])
    limits = main["resources"]["limits"]
    assert main["resources"]["requests"] == limits
    found = {
        "limits": {name: value for name, value in limits.items() if name not in ("cpu", "memory")},
        "annotations": annotations,
        "security": main.get("securityContext", {}),
        "node_selector": spec.get("nodeSelector", {}),
        **container_fields(main, volumes),
    }
    for sidecar in spec.get("initContainers", []):
        rest = {name: value for name, value in sidecar.items() if name != "volumeMounts"}
        found["sidecar"] = {**rest, **container_fields(sidecar, volumes)}
    return {name: value for name, value in found.items() if value}


@pytest.mark.parametrize("fabric", FABRICS)
def test_a_golden_has_the_fields_of_the_reference_manifest(fabric: str) -> None:
    assert fields(pod_template(GOLDEN / f"fabric-{fabric}" / "job.yaml")) == REFERENCES[fabric]


def test_an_nvlink_domain_has_both_halves_of_its_claim() -> None:
    """demo/specs/imex/nvbandwidth-test-job-1.yaml of NVIDIA/k8s-dra-driver-gpu, 2240711."""
    objects = list(yaml.safe_load_all((GOLDEN / "nvlink-domain" / "job.yaml").read_text("utf-8")))
    (domain,) = (each for each in objects if each["kind"] == "ComputeDomain")
    template = domain["spec"]["channel"]["resourceClaimTemplate"]["name"]
    assert (domain["apiVersion"], domain["spec"]["numNodes"]) == ("resource.nvidia.com/v1beta1", 18)
    assert objects.index(domain) < next(number for number, each in enumerate(objects) if each["kind"] == "Job")
    spec = pod_template(GOLDEN / "nvlink-domain" / "job.yaml")["spec"]
    claims = {claim["name"]: claim["resourceClaimTemplateName"] for claim in spec["resourceClaims"]}
    assert claims == {"scratch": "local-disk", "compute-domain-channel": template}
    assert [claim["name"] for claim in spec["containers"][0]["resources"]["claims"]] == list(claims)
    # nccl-tests-gb200.yaml of aws-samples: 4 devices, no huge pages.
    limits = spec["containers"][0]["resources"]["limits"]
    assert limits["vpc.amazonaws.com/efa"] == "4"
    assert "hugepages-2Mi" not in limits


@pytest.mark.parametrize("fabric", FABRICS)
def test_the_facts_of_a_fabric_have_sources_with_dates(fabric: str) -> None:
    sources = load(fabric).sources
    assert sources
    for source in sources:
        assert source["repository"].startswith("https://")
        assert len(source["date"].split("-")) == 3
        assert source["path"]
        assert source["facts"]
