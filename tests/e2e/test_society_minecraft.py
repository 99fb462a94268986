"""A society on a Minecraft server, from its start to its deletion. Needs Node and the Minecraft modules."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from nemuri_infra.runtime.settings import Settings
from nemuri_society.minecraft.node_modules import MinecraftUnavailable, find_node, installed_modules, modules_directory
from tests.e2e.conftest import CommandLine

pytestmark = [pytest.mark.connected, pytest.mark.long, pytest.mark.timeout(900)]


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


def test_a_society_in_minecraft_is_resumed_and_deleted(data: Path) -> None:
    """Agents act and decide in Minecraft and resume after a stop. `delete` removes the data of their world."""
    nemuri = CommandLine(data)
    arguments = ("society", "run", "--world", "minecraft", "--name", "miners", "--agents", "4", "--towns", "1")
    lived = nemuri(*arguments, "--seconds", "40", "--json").json
    assert (lived["agents"], lived["world_health"], lived["items"], lived["failures"]) == (4, None, None, {})
    assert all(lived["rates"][each] > 0 for each in ("cognitive_controller", "skill_execution", "action_awareness"))
    kept = data / "minecraft" / "societies" / "miners"
    assert (kept / "state.json").exists()
    again = nemuri("society", "resume", "miners", "--seconds", "15", "--json").json
    assert (again["agents"], again["failures"]) == (4, {})
    refused = nemuri("society", "resume", "miners", "--checkpoint", "newest")
    assert (refused.code, "cannot be restored" in refused.err) == (1, True)
    assert nemuri("society", "delete", "miners").code == 0
    assert not kept.exists()
