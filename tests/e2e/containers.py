"""Images and containers by Debian's podman, in a store of their own that goes with the test."""

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
"""What building and running takes; `.ci/run` installs them."""
BASE: Final = "docker.io/library/python:3.11-slim"
"""The image that the Dockerfile starts from. No registry is asked: one like it is made of Debian's packages."""
PACKAGES: Final = ("python3.11", "python3-pip", "python3-venv", "ca-certificates")
CERTIFICATES: Final = Path("/etc/ssl/certs")
CONFIGURATION: Final = """\
[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
runtime = "runc"
"""
"""The limits that a container inside a container may be given, and the runtime that works with any kind of cgroups."""


def missing() -> str | None:
    """Return why no image can be built here, or None."""
    if os.geteuid() != 0:
        return "only root may build images with a store of their own"
    absent = [each for each in PROGRAMS if shutil.which(each) is None]
    return f"there is no {', '.join(absent)}" if absent else None


@dataclass(frozen=True, slots=True)
class Podman:
    """Podman with its store in a directory of the test's."""

    directory: Path

    @classmethod
    @contextmanager
    def running(cls) -> Iterator[Self]:
        """Yield a podman without images; end its containers and remove its store afterwards."""
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
        """Make the image that the Dockerfile starts from out of Debian's packages."""
        archive = self.directory / "base.tar"
        include = f"--include={','.join(PACKAGES)}"
        link = '--customize-hook=ln -sf python3.11 "$1/usr/bin/python"'
        subprocess.run(
            ["mmdebstrap", "--quiet", "--variant=minbase", include, link, "bookworm", archive], check=True, timeout=300
        )
        self("import", "--quiet", str(archive), BASE)
        archive.unlink()

    def build(self, context: Path, tag: str) -> None:
        """Build the Dockerfile of a directory; pip reaches its index as it does on this machine."""
        trusted = ("--volume", f"{CERTIFICATES}:{CERTIFICATES}:ro") if CERTIFICATES.is_dir() else ()
        self("build", "--pull=never", "--network", "host", *trusted, "--tag", tag, str(context), timeout=600)

    def flags(self, service: Mapping[str, Any]) -> Sequence[str]:
        """Return the flags that give a container what its entry in the compose file gives it."""
        return [
            *(("--init",) if service["init"] else ()),
            *(("--read-only",) if service["read_only"] else ()),
            *(f"--tmpfs={each}" for each in service["tmpfs"]),
            *(f"--cap-drop={each}" for each in service["cap_drop"]),
            *(f"--security-opt={each.removesuffix(':true')}" for each in service["security_opt"]),
        ]

    def logs(self, name: str) -> str:
        """Return what a container has written so far."""
        done = self("logs", name, check=False)
        return done.stdout + done.stderr
