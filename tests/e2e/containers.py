"""Builds and runs container images with Debian's podman, in a temporary store."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

PROGRAMS: Final = ("podman", "runc", "mmdebstrap", "catatonit")
"""Programs needed to build and run images; `.ci/run` installs them."""
BASE: Final = "docker.io/library/python:3.11-slim"
"""Base image of the Dockerfile. It is not downloaded: an equivalent image is made of Debian's packages."""
PACKAGES: Final = (
    "base-files", "base-passwd", "bash", "ca-certificates", "coreutils", "dash", "findutils", "grep", "libc-bin",
    "libstdc++6", "login", "passwd", "python3.11-venv", "sed",
)  # fmt: skip
"""Debian's packages of the base image, besides those that they need."""
MERGED: Final = "/usr/share/mmdebstrap/hooks/merged-usr"
"""Hooks that make `/bin` a link to `/usr/bin`."""
UNPACKED: Final = """\
ln -sf python3.11 "$1/usr/bin/python"
for name in passwd group; do cp "$1/usr/share/base-passwd/$name.master" "$1/etc/$name"; done
"""
"""Steps of the unpacked packages' scripts that the image needs. To run all scripts takes five times as long."""
CERTIFICATES: Final = Path("/etc/ssl/certs")
CONFIGURATION: Final = """\
[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
runtime = "runc"
"""
"""Podman's configuration: limits that are permitted inside another container, and a runtime for every version of
cgroups.
"""


def missing() -> str | None:
    """Return the reason why this machine cannot build images; None if it can."""
    if os.geteuid() != 0:
        return "only root may build images with a store of their own"
    absent = [program for program in PROGRAMS if shutil.which(program) is None]
    return f"there is no {', '.join(absent)}" if absent else None


@dataclass(frozen=True, slots=True)
class Podman:
    """Podman with its store in a temporary directory."""

    directory: Path

    @classmethod
    @contextmanager
    def running(cls) -> Iterator[Self]:
        """Yield a podman without images. Remove its containers and its store afterwards."""
        directory = Path(tempfile.mkdtemp(prefix="nemuri-test-"))
        (directory / "containers.conf").write_text(CONFIGURATION, encoding="utf-8")
        podman = cls(directory)
        try:
            yield podman
        finally:
            podman("rm", "--all", "--force", "--time", "0")
            shutil.rmtree(directory)

    def __call__(self, *arguments: str, check: bool = True, timeout: float = 120) -> subprocess.CompletedProcess[str]:
        """Run a podman command to its end. Raises `AssertionError` with its output if it fails and `check` is true."""
        stores = ("--root", self.directory / "images", "--runroot", self.directory / "run")
        done = subprocess.run(
            ["podman", *stores, "--tmpdir", self.directory / "tmp", *arguments],
            env=os.environ | {"CONTAINERS_CONF": str(self.directory / "containers.conf")},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        assert done.returncode == 0 or not check, (
            f"podman {' '.join(arguments)}: {done.stdout[-2000:]}{done.stderr[-4000:]}"
        )
        return done

    def make_base(self) -> None:
        """Make the Dockerfile's base image out of Debian's packages."""
        archive = self.directory / "base.tar"
        options = (f"--include={','.join(PACKAGES)}", f"--hook-dir={MERGED}", f"--extract-hook={UNPACKED}")
        subprocess.run(
            ["mmdebstrap", "--quiet", "--variant=extract", *options, "bookworm", archive], check=True, timeout=300
        )
        self("import", "--quiet", str(archive), BASE)
        archive.unlink()

    def build(self, context: Path, tag: str) -> None:
        """Build the Dockerfile of a directory. The build uses this machine's network and certificates, so that pip can
        reach its package index.
        """
        trusted = ("--volume", f"{CERTIFICATES}:{CERTIFICATES}:ro") if CERTIFICATES.is_dir() else ()
        self(
            "build",
            "--pull=never",
            "--layers=false",
            "--network",
            "host",
            *trusted,
            "--tag",
            tag,
            str(context),
            timeout=600,
        )

    def flags(self, service: Mapping[str, Any]) -> Sequence[str]:
        """Return the podman flags that correspond to a service's entry in the compose file."""
        return [
            *(("--init",) if service["init"] else ()),
            *(("--read-only",) if service["read_only"] else ()),
            *(f"--tmpfs={each}" for each in service["tmpfs"]),
            *(f"--cap-drop={each}" for each in service["cap_drop"]),
            *(f"--security-opt={each.removesuffix(':true')}" for each in service["security_opt"]),
        ]

    def logs(self, name: str) -> str:
        """Return the output of a container so far."""
        done = self("logs", name, check=False)
        return done.stdout + done.stderr
