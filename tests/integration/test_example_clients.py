"""Clients that use only a NATS library and the documentation get answers."""

import asyncio
import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from nemuri_infra.runtime.settings import Settings
from tests.condition_waits import PATIENCE
from tests.integration.harness import agent_defined, running_services, until_idle

pytestmark = pytest.mark.connected

CLIENTS = Path(__file__).parents[2] / "examples" / "clients"
QUESTION = "What is truth value testing?"


async def _run(
    *command: str | Path, settings: Settings | None = None, directory: Path, **more: str
) -> tuple[int, str, str]:
    """Run a command that knows only the address of the bus. Return its exit code, standard output and standard
    error.
    """
    known = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), **more}
    if settings is not None:
        known |= {"NATS_URL": str(settings.nats_url), "NEMURI_NAMESPACE": settings.namespace}
    process = await asyncio.create_subprocess_exec(
        *command, cwd=directory, env=known, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    try:
        out, err = await asyncio.wait_for(process.communicate(), PATIENCE)
    except TimeoutError:
        process.kill()
        await process.communicate()
        raise
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


async def _assert_answered(settings: Settings, *command: str | Path, directory: Path) -> None:
    async with running_services(settings) as resources:
        await resources.log.append(agent_defined())
        await until_idle(resources)
        code, out, err = await _run(*command, QUESTION, settings=settings, directory=directory)
        assert (code, err) == (0, "")
        status, answer = out.split("\n", 1)
        assert status == "done"
        assert answer.strip()


async def _assert_exit_codes(settings: Settings, *command: str | Path, directory: Path) -> None:
    """Assert that a client exits with the same code as `nemuri ask` for every outcome of a task."""
    many = "\n".join(f"{number}. What does lamp {number} cost?" for number in range(1, 26))
    code, out, err = await _run(*command, QUESTION, settings=settings, directory=directory, PATIENCE="0.5")
    assert (code, out, err) == (3, "", "no answer within 0.5 s; is the platform running?\n")
    async with running_services(settings) as resources:
        code, out, _ = await _run(*command, QUESTION, settings=settings, directory=directory)
        assert (code, out.split("\n")[0]) == (1, "failed")
        assert out.split("\n")[1] not in {"", "None", "null", "undefined"}
        await resources.log.append(agent_defined())
        code, out, _ = await _run(*command, many, settings=settings, directory=directory)
        lines = out.splitlines()
        assert (code, lines[0], lines[25]) == (4, "negotiation", "25. What does lamp 25 cost?")
        assert [line.partition(":")[0] for line in lines[26:]] == ["most_important", "all", "by_category", "as_one"]


async def test_the_python_example_has_the_exit_codes_of_ask(settings: Settings) -> None:
    """The Python example exits with the same codes as `nemuri ask`."""
    await _assert_exit_codes(settings, sys.executable, "-I", CLIENTS / "plain_nats.py", directory=CLIENTS)


async def test_the_python_example_gets_an_answer(settings: Settings, tmp_path: Path) -> None:
    """The Python example gets an answer without importing anything of this project."""
    script = Path(shutil.copy(CLIENTS / "plain_nats.py", tmp_path))
    assert not re.search(r"^(?:import|from) nemuri", await asyncio.to_thread(script.read_text), re.MULTILINE)
    await _assert_answered(settings, sys.executable, "-I", script, directory=tmp_path)


async def test_the_python_example_fails_without_a_server(settings: Settings) -> None:
    """Without a server the Python example ends with one line."""
    nowhere = settings.model_copy(update={"nats_url": "nats://127.0.0.1:1"})
    code, out, err = await _run(sys.executable, "-I", CLIENTS / "plain_nats.py", settings=nowhere, directory=CLIENTS)
    assert (code, out, err.count("\n")) == (1, "", 1), err
    assert "NATS_URL" in err


async def test_the_node_example_gets_an_answer(settings: Settings, tmp_path: Path) -> None:
    """The Node example gets an answer, if Node and its packages are available."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("Node is not installed")
    for name in ("package.json", "plain_nats.mjs"):
        shutil.copy(CLIENTS / name, tmp_path)
    try:
        code, _, err = await _run("npm", "install", "--no-audit", "--no-fund", "--silent", directory=tmp_path)
    except TimeoutError:
        pytest.skip("npm timed out")
    if code:
        pytest.skip(f"npm failed: {err.strip()[:200]}")
    await _assert_exit_codes(settings, "node", "plain_nats.mjs", directory=tmp_path)
    await _assert_answered(settings, "node", "plain_nats.mjs", directory=tmp_path)
