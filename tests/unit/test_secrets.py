"""Credentials that operators have written stay on the machine that made them."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from nemuri.platform.permission_files import Deployment, write_permissions

ROOT = Path(__file__).parents[2]
TOLD = ("README.md", "docker-compose.yml", "infra/deploy/kubernetes/kustomization.yaml")


def git(*arguments: str) -> list[str]:
    """The lines that git answers; skips the test where this is no checkout."""
    program = shutil.which("git")
    if program is None or not (ROOT / ".git").exists():
        pytest.skip("this is no git checkout")
    command = [program, "-c", "safe.directory=*", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout.splitlines()


def places() -> set[str]:
    """The directories that `nemuri permissions` is told to write into, wherever somebody reads how to run it."""
    found = {
        each for name in TOLD for each in re.findall(r"nemuri permissions (\S+)", (ROOT / name).read_text("utf-8"))
    }
    return {each.rstrip("/") for each in found if "/" in each}


def test_git_keeps_no_credentials() -> None:
    """Nothing below a directory of secrets is tracked, neither committed nor about to be."""
    assert git("ls-files", "--", "infra/deploy/secrets", ":(glob)infra/deploy/**/secrets/**") == []


def test_git_passes_over_whatever_is_written_where_we_say(tmp_path: Path) -> None:
    """Every file of `nemuri permissions`, in each place that is named to people, and compose's own file of keys."""
    written = [each.name for each in write_permissions(tmp_path, Deployment(["nemuri"], ["ann"], nodes=["nats-1"]))]
    assert places() == {"infra/deploy/secrets", "infra/deploy/kubernetes/secrets"}
    paths = [".env", *(f"{place}/{name}" for place in places() for name in (*written, "nats.conf", "tls.conf"))]
    assert sorted(git("check-ignore", "--no-index", *paths)) == sorted(paths)
