"""Certificate of the operators' webhooks, from a CA of the tests' own."""

from __future__ import annotations

import subprocess
from base64 import b64encode
from pathlib import Path
from typing import NamedTuple

# The training operator replaces certificates that expire within 90 days, and those without these names.
DAYS = "365"
CA_NAME = "training-operator-ca"
NAMES = "IP:127.0.0.1,DNS:localhost,DNS:training-operator.kubeflow.svc"


class Certificates(NamedTuple):
    """Directory with ca.crt, ca.key, tls.crt and tls.key."""

    folder: Path

    def encoded(self, name: str) -> str:
        """Return a file in base64."""
        return b64encode((self.folder / name).read_bytes()).decode()

    @property
    def secret(self) -> dict[str, str]:
        """Data of a Secret with all files."""
        return {name: self.encoded(name) for name in ("ca.crt", "ca.key", "tls.crt", "tls.key")}


def create(folder: Path) -> Certificates:
    """Create CA and certificate with openssl. The training operator reads only RSA keys in PKCS #1."""
    folder.mkdir()
    for name in ("ca", "tls"):
        _openssl(folder, "genrsa", "-traditional", "-out", f"{name}.key", "2048")
    (folder / "extensions").write_text(f"subjectAltName={NAMES}\nextendedKeyUsage=serverAuth\n")
    request = ("req", "-new", "-subj")
    ca = ("-x509", "-key", "ca.key", "-days", DAYS, "-addext", f"subjectAltName=DNS:{CA_NAME}", "-out", "ca.crt")
    _openssl(folder, *request, f"/CN={CA_NAME}", *ca)
    _openssl(folder, *request, "/CN=localhost", "-key", "tls.key", "-out", "tls.csr")
    sign = ("x509", "-req", "-in", "tls.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", DAYS)
    _openssl(folder, *sign, "-extfile", "extensions", "-out", "tls.crt")
    return Certificates(folder)


def _openssl(folder: Path, *arguments: str) -> None:
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)
