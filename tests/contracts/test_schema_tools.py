"""The tools of AsyncAPI and OpenAPI themselves find nothing wrong in the documents of the platform."""

import shutil
from pathlib import Path

import pytest

from tests.node_packages import NODE, packages_of, run

FOLDER = Path(__file__).parents[2] / "contracts" / "schemas"
TOOLS = Path(__file__).parent / "schema-tools"

pytestmark = [pytest.mark.xdist_group("typescript"), pytest.mark.timeout(400)]


async def faults(folder: Path) -> str:
    """Return what the tools find wrong in the documents of a folder."""
    packages = await packages_of(TOOLS)
    variables = {"NODE_PATH": str(packages / "node_modules")}
    done = await run(str(NODE), str(TOOLS / "validate.cjs"), str(folder), directory=packages, variables=variables)
    assert done.code == 0, done.errors
    return done.output


async def test_the_documents_are_valid(tmp_path: Path) -> None:
    """Find no fault in the committed documents, and one in each of two that are damaged."""
    assert await faults(FOLDER) == ""
    damaged = tmp_path / "schemas"
    shutil.copytree(FOLDER, damaged)
    for name, given, changed in (
        ("asyncapi.yaml", "action: send", "action: sends"),
        ("openapi.yaml", "in: path", "in: paths"),
    ):
        text = (damaged / name).read_text(encoding="utf-8")
        (damaged / name).write_text(text.replace(given, changed, 1), encoding="utf-8")
    found = await faults(damaged)
    assert "asyncapi.yaml: asyncapi3-schema at operations" in found.replace("asyncapi3-document-resolved", "asyncapi3-schema")
    assert "openapi.yaml: struct at #/paths" in found
