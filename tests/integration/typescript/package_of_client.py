"""The TypeScript client, compiled and packed from the repository, and its types derived from the OpenAPI document.

python -m tests.integration.typescript.package_of_client
"""

import asyncio
import json
import shutil
from pathlib import Path

from tests.node_packages import NODE, npm, packages_of, run

ROOT = Path(__file__).parents[3]
CLIENT = ROOT / "clients" / "typescript"
OPENAPI = ROOT / "contracts" / "schemas" / "openapi.yaml"
TYPES = CLIENT / "src" / "api.ts"
SOURCES = ("package.json", "tsconfig.json", "README.md", "src", "examples")


async def prepared(directory: Path) -> Path:
    """Return a copy of the client's sources with the compiler, so that nothing is written into the repository."""
    packages = await packages_of(CLIENT)
    copy = directory / "client"
    copy.mkdir()
    for name in SOURCES:
        given = CLIENT / name
        (shutil.copytree if given.is_dir() else shutil.copyfile)(given, copy / name)
    (copy / "node_modules").symlink_to(packages / "node_modules")
    return copy


async def compile_project(project: Path) -> None:
    """Run the compiler on a project in a copy of the sources. Raises `AssertionError` with what it finds wrong."""
    script = project.parent / "node_modules" / "typescript" / "bin" / "tsc"
    done = await run(str(NODE), str(script), directory=project)
    assert done.code == 0, done.output


async def installed(copy: Path, program: Path) -> list[str]:
    """Pack the client, install it in the directory of a program, and return the names of the packed files."""
    [packed] = json.loads((await npm("pack", "--json", "--silent", directory=copy)).output)
    await npm("install", "--offline", str(copy / packed["filename"]), directory=program)
    return [each["path"] for each in packed["files"]]


async def derive_types(path: Path) -> None:
    """Derive the types of the API from the OpenAPI document, and write them into a file."""
    packages = await packages_of(CLIENT)
    script = packages / "node_modules" / "openapi-typescript" / "bin" / "cli.js"
    done = await run(str(NODE), str(script), str(OPENAPI), "--output", str(path), directory=packages)
    assert done.code == 0, done.output + done.errors


if __name__ == "__main__":
    asyncio.run(derive_types(TYPES))
