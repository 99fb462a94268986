"""Tests of the Node modules of the Minecraft bridge: pinned versions, installation, and errors if something is
missing.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from nemuri_society.minecraft.bridge_process import MinecraftBridge
from nemuri_society.minecraft.node_modules import (
    BRIDGE_SOURCES,
    MinecraftUnavailable,
    dependency_versions,
    find_node,
    install,
    installed_modules,
    modules_directory,
)
from nemuri_society.world import game_rules


def _read(name: str) -> Any:
    return json.loads((BRIDGE_SOURCES / name).read_text(encoding="utf-8"))


def _program(folder: Path, name: str, does: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{does}\n", encoding="utf-8")
    (folder / name).chmod(0o755)


def _filled(data: Path) -> Path:
    folder = modules_directory(data)
    (folder / "node_modules").mkdir(parents=True)
    for name in ("package.json", "package-lock.json"):
        (folder / name).write_bytes((BRIDGE_SOURCES / name).read_bytes())
    return folder


def test_every_module_is_pinned_to_one_version() -> None:
    """The manifest names exact versions, and the lock file pins every module by its checksum."""
    packages = _read("package-lock.json")["packages"]
    assert packages[""]["dependencies"] == dependency_versions()
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in dependency_versions().values())
    inner = {name: each for name, each in packages.items() if name}
    assert {name: inner[f"node_modules/{name}"]["version"] for name in dependency_versions()} == dependency_versions()
    assert [name for name, each in inner.items() if not each.get("integrity", "").startswith("sha512-")] == []


def test_the_lock_file_names_no_registry() -> None:
    """The lock file contains no registry URL, so npm uses the configured registry."""
    assert [each for each in _read("package-lock.json")["packages"].values() if "resolved" in each] == []


def test_a_missing_node_is_refused_in_one_line(tmp_path: Path) -> None:
    """Without Node the installation is refused with one line that says what to install."""
    with pytest.raises(MinecraftUnavailable, match=r"^Node is not installed: install Node 20 or newer$"):
        find_node(str(tmp_path))
    with pytest.raises(MinecraftUnavailable, match="Node is not installed"):
        install(tmp_path, str(tmp_path))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("says", "found"), [("echo v16.20.2", "v16.20.2"), ("exit 3", "nothing")])
def test_an_old_node_is_refused_in_one_line(tmp_path: Path, says: str, found: str) -> None:
    """An old Node, or another program named `node`, is refused in one line."""
    _program(tmp_path, "node", says)
    with pytest.raises(MinecraftUnavailable, match=rf"^\S+/node has version {found}: install Node 20 or newer$"):
        find_node(str(tmp_path))


def test_missing_or_outdated_modules_are_refused(tmp_path: Path) -> None:
    """Missing or outdated modules are refused, and the error names the command that installs them."""
    with pytest.raises(MinecraftUnavailable, match=r"are not installed: run `nemuri society minecraft install`$"):
        installed_modules(tmp_path)
    folder = _filled(tmp_path)
    assert installed_modules(tmp_path) == folder / "node_modules"
    (folder / "package-lock.json").write_text("{}", encoding="utf-8")
    with pytest.raises(MinecraftUnavailable, match="are of another version: run"):
        installed_modules(tmp_path)


def test_a_failed_installation_leaves_no_files(tmp_path: Path) -> None:
    """A failed installation leaves no files, and the error contains the first line of npm's output."""
    programs, data = tmp_path / "programs", tmp_path / "data"
    _program(programs, "node", "echo v20.1.0")
    with pytest.raises(MinecraftUnavailable, match="npm is not installed"):
        install(data, str(programs))
    _program(programs, "npm", "/bin/mkdir node_modules; echo 'npm error no network' >&2; echo more >&2; exit 1")
    with pytest.raises(MinecraftUnavailable, match=r"^the modules cannot be installed: npm error no network$"):
        install(data, str(programs))
    assert not modules_directory(data).exists()


def test_installed_modules_are_kept(tmp_path: Path) -> None:
    """Installed modules are not installed again, so npm is not needed."""
    _program(tmp_path / "programs", "node", "echo v22.0.0")
    folder = _filled(tmp_path)
    assert install(tmp_path, str(tmp_path / "programs")) == folder / "node_modules"


def test_a_bridge_without_node_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Creating a bridge without Node raises an error and writes no file."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MinecraftUnavailable, match="Node is not installed"):
        MinecraftBridge(tmp_path / "bridge", tmp_path, "nats://127.0.0.1:4222", "nemuri")
    assert list(tmp_path.iterdir()) == []


def test_every_item_and_block_has_a_minecraft_name() -> None:
    """Every item and block in the rules of the grid world has a Minecraft name, except the edge and paths."""
    names = _read("names.json")
    assert set(names["items"]) == set(game_rules.ITEMS)
    assert set(names["blocks"]) == set(game_rules.BLOCKS) - {"edge", "path"}
    assert {*game_rules.COLLECTING_RULES, *game_rules.VISIBLE_BLOCKS} <= set(names["blocks"])
