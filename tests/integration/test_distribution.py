"""The wheel and the source distribution have the right contents, also for a program whose packages are named like our
folders.
"""

import asyncio
import json
import os
import subprocess
import sys
import tarfile
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

import pytest

from nemuri.cli.man_page import man_page
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import agent_defined, running_services

ROOT = Path(__file__).parents[2]
PACKAGES = {
    "nemuri_contracts": ROOT / "contracts",
    "nemuri_domain": ROOT / "domain",
    "nemuri_infra": ROOT / "infra",
    "nemuri_services": ROOT / "services",
    "nemuri": ROOT / "client",
    "nemuri_society": ROOT / "society",
}
EXAMPLES = "nemuri/demo/examples"
MAX_BYTES = 40_000_000
FOLDERS = ("client", "contracts", "domain", "infra", "services", "society")
PROGRAM = """\
import json, sys
from client import OWNER as client
from contracts import OWNER as contracts
from domain import OWNER as domain
from infra import OWNER as infra
from services import OWNER as services
from society import OWNER as society

import nemuri, nemuri_services.query_api.handlers
from nemuri.cli.app import program

program()

with nemuri.connect_sync() as connection:
    agents = [each.agent_id for each in connection.agents()]
files = [module.__file__ for name, module in sys.modules.items() if name.partition(".")[0].startswith("nemuri")]
print(json.dumps({"owners": [client, contracts, domain, infra, services, society], "agents": agents, "files": files}))
"""


pytestmark = pytest.mark.xdist_group("distributions")  # one process builds them


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the source distribution of this checkout."""
    return build(tmp_path_factory.mktemp("dist"))


def build(folder: Path, umask: int = -1) -> Path:
    """Build the wheel and the source distribution of this checkout into a folder, and return it."""
    command = [sys.executable, "-m", "hatchling", "build", "--directory", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, umask=umask)
    assert done.returncode == 0, done.stderr
    return folder


def wheel(distributions: Path) -> ZipFile:
    """Open the wheel in the folder, which must contain exactly one."""
    [path] = distributions.glob("*.whl")
    return ZipFile(path)


def test_the_wheel_holds_the_packages_and_the_demos_examples(distributions: Path) -> None:
    """The wheel holds every file of the six packages and the demo's examples, and no other file."""
    expected = {
        path.relative_to(folder).as_posix()
        for name, folder in PACKAGES.items()
        for path in (folder / name).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    } | {f"{EXAMPLES}/{path.name}" for path in (ROOT / "examples" / "agents").iterdir()}
    with wheel(distributions) as opened:
        held = {name for name in opened.namelist() if ".dist-info/" not in name and ".data/" not in name}
        [manual] = [name for name in opened.namelist() if name.endswith("/share/man/man1/nemuri.1")]
        assert opened.read(manual).decode("utf-8") == "\n".join(man_page()) + "\n"
        assert sum(each.compress_size for each in opened.infolist()) <= MAX_BYTES
    assert held == expected


@pytest.mark.long
def test_builds_are_reproducible(distributions: Path, tmp_path: Path) -> None:
    """A second build, with other permissions of new files, gives the same bytes."""
    again = build(tmp_path, umask=0o077)
    digests = [
        {path.name: sha256(path.read_bytes()).digest() for path in folder.iterdir()}
        for folder in (distributions, again)
    ]
    assert digests[0] == digests[1]


def test_the_source_distribution_is_complete(distributions: Path) -> None:
    """The source distribution holds everything needed to build and test it, and no secrets."""
    [path] = distributions.glob("*.tar.gz")
    with tarfile.open(path) as opened:
        held = {tuple(Path(name).parts[1:]) for name in opened.getnames()}
    assert {each[0] for each in held} >= {*FOLDERS, "tests", "docs", "examples", "pyproject.toml", "README.md"}
    assert not [each for each in held if "secrets" in each]


@pytest.mark.connected
async def test_a_program_with_packages_named_like_our_folders_uses_nemuri(
    distributions: Path, settings: Settings, tmp_path: Path
) -> None:
    """A program whose packages are named like our folders imports its own packages, and uses Nemuri from the wheel."""
    installed, program = tmp_path / "site-packages", tmp_path / "program"
    with wheel(distributions) as opened:
        opened.extractall(installed)
    for name in FOLDERS:
        (program / name).mkdir(parents=True)
        (program / name / "__init__.py").write_text(f'OWNER = "the {name} of the program"\n', encoding="utf-8")
    (program / "main.py").write_text(PROGRAM, encoding="utf-8")
    # This path is searched before the checkout, which an editable installation adds at the end of the path.
    variables = os.environ | {
        "PYTHONPATH": str(installed),
        "NATS_URL": str(settings.nats_url),
        "NEMURI_NAMESPACE": settings.namespace,
    }
    async with running_services(settings, ("projector", "query-api")) as resources:
        await resources.log.append(agent_defined("python"))
        process = await asyncio.create_subprocess_exec(
            sys.executable, program / "main.py", env=variables, stdout=asyncio.subprocess.PIPE
        )
        out, _ = await process.communicate()
    assert process.returncode == 0
    found = json.loads(out)
    assert found["owners"] == [f"the {name} of the program" for name in FOLDERS]
    assert "python" in found["agents"]
    assert all(Path(load).is_relative_to(installed) for load in found["files"])
    assert {Path(load).relative_to(installed).parts[0] for load in found["files"]} == PACKAGES.keys()
