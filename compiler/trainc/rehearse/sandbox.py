"""A pod's own network and host name, and the files that the kubelet writes into each of its containers."""

from __future__ import annotations

import subprocess

from trainc.plan.fields import at, items, listed, mapping, text
from trainc.plan.pods import Pod
from trainc.rehearse import network
from trainc.rehearse.dns_records import DOMAIN
from trainc.rehearse.process import CLEAN, python

# https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/kubelet/kubelet_pods.go, hostsEntriesFromHostAliases
_HOSTS = """\
# Kubernetes-managed hosts file.
127.0.0.1\tlocalhost
::1\tlocalhost ip6-localhost ip6-loopback
fe00::0\tip6-localnet
fe00::0\tip6-mcastprefix
fe00::1\tip6-allnodes
fe00::2\tip6-allrouters
"""


class Sandbox:
    """Held by a process that sleeps."""

    def __init__(self, pod: Pod, number: int) -> None:
        self.number, self.ip = number, network.address(number)
        own = full_name(pod) if at(pod.spec, "setHostnameAsFQDN") is True else pod.hostname
        pipe = subprocess.PIPE
        self._pause = subprocess.Popen(python("pause", own), stdin=pipe, stdout=pipe, env=CLEAN, text=True)
        self.process = self._pause.pid
        self._expect("ready")
        card = network.card(pod.spec)
        network.attach(number, self.process, card)
        assert self._pause.stdin
        self._pause.stdin.write(network.inside(number, card))
        self._pause.stdin.close()
        self._expect("up")

    def _expect(self, word: str) -> None:
        assert self._pause.stdout
        if self._pause.stdout.readline().strip() != word:
            raise OSError(f"the pod's network can't be made: the step before {word!r} failed")

    def close(self) -> None:
        """Let the network go, with the address and all connections."""
        self._pause.kill()
        self._pause.wait()


def full_name(pod: Pod) -> str:
    """With the cluster's domain, if it has a subdomain."""
    if not pod.subdomain:
        return pod.hostname
    return f"{pod.hostname}.{pod.subdomain}.{pod.namespace}.svc.{DOMAIN}"


def files(pod: Pod, ip: str) -> dict[str, str]:
    """https://kubernetes.io/docs/tasks/network/customize-hosts-file-for-pods/ and dns-pod-service."""
    full = full_name(pod)
    hosts = _HOSTS + "\t".join(dict.fromkeys((ip, full, pod.hostname))) + "\n"
    aliases = items(pod.spec, "hostAliases")
    if aliases:
        hosts += "\n# Entries added by HostAliases.\n"
        rows = [[text(one, "ip"), *map(str, listed(one, "hostnames"))] for one in aliases]
        hosts += "".join("\t".join(row) + "\n" for row in rows)
    return {"/etc/hosts": hosts, "/etc/hostname": pod.hostname + "\n", "/etc/resolv.conf": _resolv(pod)}


def _resolv(pod: Pod) -> str:
    """https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/#pod-dns-config"""
    config = mapping(pod.spec, "dnsConfig")
    policy = text(pod.spec, "dnsPolicy") or "ClusterFirst"
    cluster = policy != "None"
    servers = [network.RESOLVER] if cluster else []
    searches = [f"{pod.namespace}.svc.{DOMAIN}", f"svc.{DOMAIN}", DOMAIN] if cluster else []
    options = {"ndots": "5"} if cluster else {}
    servers += map(str, listed(config, "nameservers"))
    searches += map(str, listed(config, "searches"))
    options |= {text(one, "name"): text(one, "value") for one in items(config, "options")}
    lines = [f"search {' '.join(searches)}"] if searches else []
    lines += [f"nameserver {one}" for one in servers]
    if options:
        lines.append("options " + " ".join(f"{name}:{value}" if value else name for name, value in options.items()))
    return "\n".join(lines) + "\n"
