"""
The API server of Kubernetes, kubectl and etcd, built from their Go modules, once for each `server/go.sum`. They show
whether Kubernetes takes the manifests.
"""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from deploy.debian import NotInstalled, Say, last_lines
from deploy.verified import ROOT

_MODULE = ROOT / "deploy" / "kubernetes" / "server"
_BUILT = ROOT / "build" / "kubernetes"
PROGRAMS = {
    "etcd": "go.etcd.io/etcd/server/v3",
    "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
    "kubectl": "k8s.io/kubernetes/cmd/kubectl",
}
"""The package of each."""


def build(report: Say) -> Path:
    """Returns the folder of `PROGRAMS`. Raises `NotInstalled` where they are not built and cannot be."""
    digest = hashlib.sha256(b"".join(_read(name) for name in ("go.mod", "go.sum"))).hexdigest()
    folder = _BUILT / digest[:12]
    if folder.exists():
        return folder
    go = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
    if go is None:
        raise NotInstalled("The API server of Kubernetes is built by Go 1.26: install it.")
    report("building the API server of Kubernetes (tens of minutes on two cores, once)")
    unfinished = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    # As many packages at once as there are cores would take all memory of a small machine.
    own = {**os.environ, "CGO_ENABLED": "0", "GOFLAGS": "-mod=readonly"}  # noqa: TID251 - Go needs its caches
    for name, package in PROGRAMS.items():
        options = ["-p=1", "-trimpath", "-ldflags=-s -w", f"-o={unfinished / name}"]
        done = subprocess.run(
            ["nice", "-n", "19", go, "build", *options, package],
            cwd=_MODULE,
            env=own,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise NotInstalled(f"Go could not build {name}:\n{last_lines(done)}")
    unfinished.rename(folder)
    return folder


def _read(name: str) -> bytes:
    return (_MODULE / name).read_bytes()
