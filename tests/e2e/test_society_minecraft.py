"""A society on a Minecraft server, from its start to its deletion. Needs Node and the Minecraft modules."""

import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nemuri_infra.runtime.settings import Settings
from nemuri_society.minecraft.node_modules import MinecraftUnavailable, find_node, installed_modules, modules_directory
from tests.e2e.conftest import CommandLine

pytestmark = [pytest.mark.connected, pytest.mark.long]


@pytest.fixture
def data() -> Iterator[Path]:
    """A data directory with a link to the Minecraft modules installed on this machine."""
    try:
        find_node()
        installed_modules(Settings().data)
    except MinecraftUnavailable as error:
        pytest.skip(str(error))
    data = Path(tempfile.mkdtemp(prefix="nemuri-cli-")).resolve()
    modules_directory(data).parent.mkdir()
    modules_directory(data).symlink_to(modules_directory(Settings().data))
    yield data
    shutil.rmtree(data)


def test_a_society_in_minecraft_is_resumed_restored_forked_and_deleted(data: Path) -> None:
    """Agents act and decide in Minecraft, and resume after a stop. A checkpoint brings back the world of its second
    and what the agents carried; a fork begins with it. `delete` removes the files of the world.
    """
    nemuri = CommandLine(data)
    arguments = ("society", "run", "--world", "minecraft", "--name", "miners", "--agents", "4", "--towns", "1")
    lived = nemuri(*arguments, "--seconds", "40", "--checkpoint-every", "8", "--json").json
    assert (lived["agents"], lived["failures"]) == (4, {})
    assert lived["world_health"]["agents"] == 4
    assert lived["world_health"]["acts"] > 0
    assert all(lived["rates"][each] > 0 for each in ("cognitive_controller", "skill_execution", "action_awareness"))
    kept = data / "minecraft" / "societies" / "miners"
    ended = json.loads((kept / "state.json").read_bytes())
    again = nemuri("society", "resume", "miners", "--seconds", "15", "--json").json
    assert (again["agents"], again["failures"]) == (4, {})
    early = json.loads(nemuri("society", "list", "--json").out)["miners"][1]
    assert nemuri("society", "resume", "miners", "--checkpoint", early, "--seconds", "1", "--json").code == 0
    back = json.loads((kept / "state.json").read_bytes())
    assert back["second"] < ended["second"]
    assert _carried(back) < _carried(ended)
    assert nemuri("society", "fork", "miners", "--checkpoint", "newest", "--as", "diggers").code == 0
    forked = nemuri("society", "resume", "diggers", "--seconds", "1", "--json").json
    assert (forked["agents"], forked["failures"]) == (4, {})
    [world] = json.loads((kept.parent / "diggers" / "state.json").read_bytes())["worlds"]
    assert set(world["agents"]) == {f"diggers-{nth:04}" for nth in range(4)}
    assert world["changes"]
    assert nemuri("society", "delete", "miners").code == 0
    assert not kept.exists()


def _carried(state: dict[str, Any]) -> int:
    """Return the number of changed blocks and carried items in a state of the bridge."""
    [world] = state["worlds"]
    return len(str(world["changes"])) + sum(sum(agent["inventory"].values()) for agent in world["agents"].values())
