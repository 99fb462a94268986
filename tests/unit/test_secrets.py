"""Credentials written by operators are never committed to git."""

import shutil
import subprocess
from pathlib import Path

import pytest

from nemuri.platform.permission_files import Deployment, write_permissions

ROOT = Path(__file__).parents[2]
SECRETS = "infra/deploy/secrets"
"""Where Docker Compose writes them."""


def git(*arguments: str) -> list[str]:
    """Return the lines that git prints. Skip the test outside a checkout."""
    program = shutil.which("git")
    if program is None or not (ROOT / ".git").exists():
        pytest.skip("this is no git checkout")
    command = [program, "-c", "safe.directory=*", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_git_tracks_no_credentials() -> None:
    """No file below a directory of secrets is committed or staged."""
    assert git("ls-files", "--", SECRETS, ":(glob)infra/deploy/**/secrets/**") == []


def test_git_ignores_the_secrets_of_containers(tmp_path: Path) -> None:
    """Git ignores every file that Docker Compose has written by `nemuri permissions`, and the file of API keys."""
    written = write_permissions(tmp_path, Deployment(["nemuri"], ["ann"], nodes=["nats-1"]))
    paths = [".env", *(f"{SECRETS}/{path.relative_to(tmp_path)}" for path in written)]
    assert sorted(git("check-ignore", "--no-index", *paths)) == sorted(paths)
