"""Copy the pinned scripts and styles with their licences into `static/vendor`: `python -m nemuri.window.assets`."""

import json
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).parent
VENDOR = HERE.parent / "static" / "vendor"
HASHES = HERE / "hashes.json"
FILES = {
    "htmx.org": ("dist/htmx.min.js", "dist/ext/hx-sse.min.js"),
    "uplot": ("dist/uPlot.iife.min.js", "dist/uPlot.min.css"),
    "d3-dispatch": ("dist/d3-dispatch.min.js",),
    "d3-quadtree": ("dist/d3-quadtree.min.js",),
    "d3-timer": ("dist/d3-timer.min.js",),
    "d3-force": ("dist/d3-force.min.js",),
}
"""The files that are copied, by npm package."""


def copy_assets() -> dict[str, str]:
    """Install the packages of the lock file in a temporary directory, copy their files, and return the hashes."""
    with TemporaryDirectory() as temporary:
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, temporary)
        npm = shutil.which("npm") or "npm"
        subprocess.run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=temporary, check=True)  # noqa: S603
        shutil.rmtree(VENDOR, ignore_errors=True)
        VENDOR.mkdir(parents=True)
        for package, files in FILES.items():
            source = Path(temporary, "node_modules", package)
            shutil.copy(source / "LICENSE", VENDOR / f"{package}.LICENSE.txt")
            for file in files:
                text = (source / file).read_text(encoding="utf-8")
                (VENDOR / Path(file).name).write_text(without_source_map(text), encoding="utf-8")
    return hashes()


def without_source_map(text: str) -> str:
    """Return a script without the comment that names its source map, which is not served."""
    return "\n".join(line for line in text.splitlines() if not line.startswith("//# sourceMappingURL=")) + "\n"


def hashes() -> dict[str, str]:
    """Return the SHA-256 of each copied file, by name."""
    return {path.name: sha256(path.read_bytes()).hexdigest() for path in sorted(VENDOR.iterdir())}


if __name__ == "__main__":
    HASHES.write_text(json.dumps(copy_assets(), indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(f"copied {len(hashes())} files to {VENDOR}\n")
