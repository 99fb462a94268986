"""The tools of AsyncAPI and OpenAPI find nothing wrong in the documents of the platform."""

import os
import shutil
from pathlib import Path

import pytest

from tests.node_packages import NODE, packages_of, run

FOLDER = Path(__file__).parents[2] / "contracts" / "schemas"
TOOLS = Path(__file__).parent / "schema-tools"

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("typescript")]


async def test_only_damaged_documents_have_faults(tmp_path: Path) -> None:
    """Find no fault in the committed documents, and one in a copy of each that has a wrong word."""
    damaged = tmp_path / "schemas"
    shutil.copytree(FOLDER, damaged)
    for name, given, changed in (("asyncapi.yaml", "action: send", "action: s"), ("openapi.yaml", "in: path", "in: p")):
        text = (damaged / name).read_text(encoding="utf-8")
        (damaged / name).write_text(text.replace(given, changed, 1), encoding="utf-8")
    packages = await packages_of(TOOLS)
    variables = os.environ | {"NODE_PATH": str(packages / "node_modules")}
    command = (str(NODE), str(TOOLS / "validate.cjs"), str(FOLDER), str(damaged))
    done = await run(*command, directory=packages, variables=variables)
    assert (done.code, done.errors) == (0, "")
    bus, api = done.output.splitlines()
    assert bus.startswith(f"{damaged / 'asyncapi.yaml'}: operations/"), bus
    assert "action" in bus
    assert api.startswith(f"{damaged / 'openapi.yaml'}: #/paths/"), api
