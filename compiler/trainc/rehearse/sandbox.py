"""Sandbox of a pod: its network and hostname, and the network files that the kubelet writes into each container."""

from __future__ import annotations

import subprocess

from trainc.plan.fields import at, items, listed, mapping, text
from trainc.plan.pods import Pod
from trainc.rehearse import network
from trainc.rehearse.dns import DOMAIN
from trainc.rehearse.process import CLEAN_ENV, module_command

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
    """Namespaces of one pod, held by a sleeping process."""

    def __init__(self, pod: Pod, number: int) -> None:
        self.number, self.ip = number, network.address(number)
        hostname = _fqdn(pod) if at(pod.spec, "setHostnameAsFQDN") is True else pod.hostname
        pipe = subprocess.PIPE
        command = module_command("pause", hostname)
        self._pause = subprocess.Popen(command, stdin=pipe, stdout=pipe, env=CLEAN_ENV, text=True)
        self.pid = self._pause.pid
        self._expect("ready")
        interface = network.interface(pod.spec)
        network.attach(number, self.pid, interface)
        assert self._pause.stdin
        self._pause.stdin.write(network.pod_commands(number, interface))
        self._pause.stdin.close()
        self._expect("up")

    def _expect(self, word: str) -> None:
        assert self._pause.stdout
        if self._pause.stdout.readline().strip() != word:
            raise OSError(f"the pod's network isn't {word}")

    def close(self) -> None:
        """Remove the network with its address and all connections."""
        self._pause.kill()
        self._pause.wait()


def _fqdn(pod: Pod) -> str:
    """Return the name with the cluster's domain if the pod has a subdomain."""
    if not pod.subdomain:
        return pod.hostname
    return f"{pod.hostname}.{pod.subdomain}.{pod.namespace}.svc.{DOMAIN}"


def network_files(pod: Pod, ip: str) -> dict[str, str]:
    """Return /etc/hosts, /etc/hostname and /etc/resolv.conf.

    https://kubernetes.io/docs/tasks/network/customize-hosts-file-for-pods/
    """
    hosts = _HOSTS + "\t".join(dict.fromkeys((ip, _fqdn(pod), pod.hostname))) + "\n"
    aliases = items(pod.spec, "hostAliases")
    if aliases:
        hosts += "\n# Entries added by HostAliases.\n"
        rows = [[text(alias, "ip"), *map(str, listed(alias, "hostnames"))] for alias in aliases]
        hosts += "".join("\t".join(row) + "\n" for row in rows)
    return {"/etc/hosts": hosts, "/etc/hostname": pod.hostname + "\n", "/etc/resolv.conf": _resolv_conf(pod)}


def _resolv_conf(pod: Pod) -> str:
    """https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/#pod-dns-config"""
    config = mapping(pod.spec, "dnsConfig")
    servers, searches, options = [], [], {}
    if (text(pod.spec, "dnsPolicy") or "ClusterFirst") != "None":
        servers = [network.RESOLVER]
        searches = [f"{pod.namespace}.svc.{DOMAIN}", f"svc.{DOMAIN}", DOMAIN]
        options = {"ndots": "5"}
    servers += map(str, listed(config, "nameservers"))
    searches += map(str, listed(config, "searches"))
    options |= {text(option, "name"): text(option, "value") for option in items(config, "options")}
    lines = [f"search {' '.join(searches)}"] if searches else []
    lines += [f"nameserver {server}" for server in servers]
    if options:
        lines.append("options " + " ".join(f"{name}:{value}" if value else name for name, value in options.items()))
    return "\n".join(lines) + "\n"
