"""Programs of others that check the MCP server, installed with npm."""

import os
from dataclasses import dataclass
from pathlib import Path

from tests.node_packages import NODE, Finished, packages_of, run

MANIFESTS = Path(__file__).parent / "mcp-programs"
CONNECT_MILLISECONDS = "150000"
"""Time that a server may take to start, on a machine that is busy with other tests."""


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


async def installed(home: Path) -> Programs:
    """Return the programs of the lock file (150 MB). Skips the test if the registry of npm cannot be reached."""
    return Programs(await packages_of(MANIFESTS), home)
