"""A client that is no part of this project gets an answer: all it has is a NATS client and the documents."""

import asyncio
import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from nemuri.infra.settings import Settings
from tests.connected.scene import agent_defined, at_work, quiet

pytestmark = pytest.mark.connected

CLIENTS = Path(__file__).parents[2] / "examples" / "clients"
QUESTION = "What is truth value testing?"


async def _run(*command: str | Path, settings: Settings | None = None, directory: Path) -> tuple[int, str, str]:
    """The exit code and both outputs of a command that knows of this project only where its bus is."""
    known = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}
    if settings is not None:
        known |= {"NATS_URL": str(settings.nats_url), "NEMURI_NAMESPACE": settings.namespace}
    process = await asyncio.create_subprocess_exec(
        *command, cwd=directory, env=known, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    try:
        out, err = await asyncio.wait_for(process.communicate(), 60)
    except TimeoutError:
        process.kill()
        await process.communicate()
        raise
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


async def _answered(settings: Settings, *command: str | Path, directory: Path) -> None:
    async with at_work(settings) as resources:
        await resources.log.append(agent_defined())
        await quiet(resources)
        code, out, err = await _run(*command, QUESTION, settings=settings, directory=directory)
        assert (code, err) == (0, "")
        status, answer = out.split("\n", 1)
        assert status == "done"
        assert answer.strip()


async def test_python_with_nothing_but_nats_py_gets_an_answer(settings: Settings, tmp_path: Path) -> None:
    """The example imports nothing of this project, and is run apart from it."""
    script = Path(shutil.copy(CLIENTS / "plain_nats.py", tmp_path))
    assert not re.search(r"^(?:import|from) nemuri", await asyncio.to_thread(script.read_text), re.MULTILINE)
    await _answered(settings, sys.executable, "-I", script, directory=tmp_path)


async def test_python_without_a_server_says_so_in_one_line(settings: Settings) -> None:
    """And ends, instead of asking on and on."""
    nowhere = settings.model_copy(update={"nats_url": "nats://127.0.0.1:1"})
    code, out, err = await _run(sys.executable, "-I", CLIENTS / "plain_nats.py", settings=nowhere, directory=CLIENTS)
    assert (code, out, err.count("\n")) == (1, "", 1), err
    assert "NATS_URL" in err


async def test_node_with_nothing_but_its_nats_client_gets_an_answer(settings: Settings, tmp_path: Path) -> None:
    """The same in another language, where Node and its packages can be had."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("there is no Node here")
    for name in ("package.json", "plain_nats.mjs"):
        shutil.copy(CLIENTS / name, tmp_path)
    try:
        code, _, err = await _run("npm", "install", "--no-audit", "--no-fund", "--silent", directory=tmp_path)
    except TimeoutError:
        pytest.skip("npm does not get the packages in time")
    if code:
        pytest.skip(f"npm does not get the packages: {err.strip()[:200]}")
    await _answered(settings, "node", "plain_nats.mjs", directory=tmp_path)
