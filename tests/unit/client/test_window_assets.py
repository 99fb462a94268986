"""The scripts and styles of others that the window serves."""

import json
import re

from nemuri.window.assets.__main__ import FILES, HASHES, HERE, VENDOR, hashes


def test_copied_files_are_those_that_were_recorded() -> None:
    """Compare each file with its recorded hash, so that no copy is edited by hand."""
    assert hashes() == json.loads(HASHES.read_text(encoding="utf-8"))


def test_every_package_is_pinned_and_has_a_licence() -> None:
    """Name the same exact versions in package.json and in the lock, with a licence for each copied package."""
    wanted = json.loads((HERE / "package.json").read_text(encoding="utf-8"))["dependencies"]
    locked = json.loads((HERE / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    assert wanted.keys() == FILES.keys()
    for name, version in wanted.items():
        assert re.fullmatch(r"\d+\.\d+\.\d+", version)
        assert locked[f"node_modules/{name}"]["version"] == version
        assert locked[f"node_modules/{name}"]["integrity"].startswith("sha512-")
        assert (VENDOR / f"{name}.LICENSE.txt").stat().st_size > 0


def test_the_lock_names_no_registry() -> None:
    """Leave the address of the registry to the machine that installs."""
    assert "resolved" not in (HERE / "package-lock.json").read_text(encoding="utf-8")
