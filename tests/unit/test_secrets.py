"""Credentials written by operators are never committed to git."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from nemuri.platform.permission_files import Deployment, write_permissions

ROOT = Path(__file__).parents[2]
TOLD = ("README.md", "infra/deploy/kubernetes/kustomization.yaml")


def git(*arguments: str) -> list[str]:
    """Return the lines that git prints. Skip the test outside a checkout."""
    program = shutil.which("git")
    if program is None or not (ROOT / ".git").exists():
        pytest.skip("this is no git checkout")
    command = [program, "-c", "safe.directory=*", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout.splitlines()


def places() -> set[str]:
    """Return the directories that the documentation and the deployment files name as output of `nemuri permissions`."""
    found = {
        each for name in TOLD for each in re.findall(r"nemuri permissions (\S+)", (ROOT / name).read_text("utf-8"))
    }
    return {each.rstrip("/") for each in found if "/" in each}


def test_git_tracks_no_credentials() -> None:
    """No file below a directory of secrets is committed or staged."""
    assert git("ls-files", "--", "infra/deploy/secrets", ":(glob)infra/deploy/**/secrets/**") == []


def test_git_ignores_the_documented_secret_directories(tmp_path: Path) -> None:
    """Git ignores every file that `nemuri permissions` writes to a documented directory, and the file of API keys of
    Docker Compose.
    """
    written = [
        path.relative_to(tmp_path)
        for path in write_permissions(tmp_path, Deployment(["nemuri"], ["ann"], nodes=["nats-1"]))
    ]
    assert places() == {"infra/deploy/kubernetes/secrets"}
    directories = {"infra/deploy/secrets", *places()}  # The first is written by Docker Compose.
    paths = [".env", *(f"{place}/{name}" for place in directories for name in (*written, "nats.conf", "tls.conf"))]
    assert sorted(git("check-ignore", "--no-index", *paths)) == sorted(paths)
