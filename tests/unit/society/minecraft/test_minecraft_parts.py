"""Runs the JavaScript tests of the bridge's parts without I/O: outcomes, message sizes, server allocation, terrain and
rules.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from nemuri_society.minecraft.bridge_rules import bridge_rules

HERE = Path(__file__).parent


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node here")
def test_the_javascript_tests_pass(tmp_path: Path) -> None:
    """The JavaScript tests pass in Node without any installed modules and without a network."""
    (tmp_path / "rules.json").write_text(json.dumps(bridge_rules()), encoding="utf-8")
    command = ["node", "--test", *map(str, sorted(HERE.glob("*.test.js")))]
    environment = os.environ | {"RULES": str(tmp_path / "rules.json"), "NODE_PATH": ""}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=120)
    assert done.returncode == 0, done.stdout
