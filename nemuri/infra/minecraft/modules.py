"""Node and the modules that the bridge needs: about 500 MB in a directory of the user's, never part of the package."""

import json
import re
import shutil
import subprocess
from pathlib import Path

SOURCES = Path(__file__).parent / "bridge"
"""The bridge's own code."""
OLDEST_NODE = 20
INSTALL_SECONDS = 1_800.0
_MANIFESTS = ("package.json", "package-lock.json")


class MinecraftUnavailable(RuntimeError):  # noqa: N818 - said as the fact that it is
    """The Minecraft world cannot run here; the message says in one line why, and what to do."""


def node(path: str | None = None) -> str:
    """The program Node, on the PATH or in the folders given. Raises MinecraftUnavailable where it is missing or old."""
    program = shutil.which("node", path=path)
    if program is None:
        raise MinecraftUnavailable(f"there is no Node here: install Node {OLDEST_NODE} or newer")
    try:
        done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False, timeout=60)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MinecraftUnavailable(f"{program} cannot be run: {error}") from error
    said = re.fullmatch(r"v(\d+)\..*", done.stdout.strip())
    if said is None or int(said[1]) < OLDEST_NODE:
        found = done.stdout.strip() or "nothing"
        raise MinecraftUnavailable(f"{program} is {found}: the Minecraft world needs Node {OLDEST_NODE} or newer")
    return program


def modules_in(data: Path) -> Path:
    """Where the modules lie in a data directory."""
    return data.expanduser().absolute() / "minecraft" / "modules"


def installed(data: Path) -> Path:
    """The directory of the installed modules. Raises MinecraftUnavailable unless they are those of this version."""
    folder = modules_in(data)
    complete = all((folder / name).exists() and (folder / name).read_bytes() == _manifest(name) for name in _MANIFESTS)
    if complete and (folder / "node_modules").is_dir():
        return folder / "node_modules"
    what = "of another version" if (folder / "node_modules").is_dir() else "not installed"
    raise MinecraftUnavailable(f"the modules of the Minecraft world are {what}: run `nemuri society minecraft install`")


def install(data: Path, path: str | None = None) -> Path:
    """Install the modules into a data directory with npm, exactly those of the lock file; returns their directory.

    Takes a network, some 500 MB and about a minute; does nothing if they are there. Their install scripts are not run.
    Raises MinecraftUnavailable, and leaves nothing that could be taken for complete.
    """
    node(path)
    try:
        return installed(data)
    except MinecraftUnavailable:
        npm = shutil.which("npm", path=path)
    if npm is None:
        raise MinecraftUnavailable("there is no npm here: it comes with Node")
    folder = modules_in(data)
    shutil.rmtree(folder, ignore_errors=True)
    try:
        folder.mkdir(mode=0o700, parents=True)
        for name in _MANIFESTS:
            (folder / f"{name}").write_bytes(_manifest(name))
        _run(npm, folder)
    except (OSError, subprocess.TimeoutExpired, MinecraftUnavailable) as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise MinecraftUnavailable(f"the modules cannot be installed: {error}") from error
    return folder / "node_modules"


def versions() -> dict[str, str]:
    """The modules that the bridge asks for itself, with their versions."""
    found: dict[str, str] = json.loads(_manifest("package.json"))["dependencies"]
    return found


def _manifest(name: str) -> bytes:
    return (SOURCES / name).read_bytes()


def _run(npm: str, folder: Path) -> None:
    command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    done = subprocess.run(  # noqa: S603 - our own command, no shell
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=INSTALL_SECONDS
    )
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        raise MinecraftUnavailable(lines[0] if lines else f"npm ended with {done.returncode}")
