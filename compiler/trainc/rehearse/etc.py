"""Contents of /etc in a container: none of this machine's settings, users or keys."""

from __future__ import annotations

import os

# Files that programs of this machine's /usr require: the linker's cache, tables.
COPIED = ("ld.so.cache", "ld.so.conf", "localtime", "mime.types", "protocols", "services", "ssl/openssl.cnf")
LINKS = "alternatives"  # a directory of links to the variants of programs
_SHELL = next((path for path in ("/bin/bash", "/usr/bin/bash") if os.path.exists(path)), "/bin/sh")
FILES = {
    "passwd": (
        f"root:x:0:0:root:/root:{_SHELL}\n"
        "sshd:x:101:65534::/run/sshd:/usr/sbin/nologin\n"  # sshd doesn't start without it
        "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
    ),
    "group": "root:x:0:\ntty:x:5:\nusers:x:100:\nnogroup:x:65534:\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\nprotocols: files\nservices: files\n",
    # As in images of https://github.com/kubeflow/mpi-operator/blob/v0.8.2/build/base/Dockerfile, which also have host
    # keys; here the job's own key serves.
    "ssh/ssh_config": "Port 2222\nStrictHostKeyChecking no\nUserKnownHostsFile /dev/null\nLogLevel ERROR\n",
    "ssh/sshd_config": "Port 2222\nStrictModes no\nUsePAM no\nPidFile none\nHostKey /root/.ssh/id_rsa\n",
}
