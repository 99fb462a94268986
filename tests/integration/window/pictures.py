"""Pictures of every view in both languages: `python -m tests.integration.window.pictures DIRECTORY`."""

import asyncio
import io
import sys
from pathlib import Path

from PIL import Image

from nemuri.platform.logging import silence
from nemuri.platform.serving import prepare
from nemuri.window.language import LANGUAGES
from tests.integration.servers import Servers
from tests.integration.window.browser import chromium, installed_browser, watched_page
from tests.integration.window.sample_platform import sample_platform

SIZE = (1200, 900)
COLOURS = 256
"""Number of colours of a picture, so that it is small."""


async def take_pictures(directory: Path) -> int:
    """Run the sample platform, save a picture of each view in each language, and return their number."""
    async with Servers.running(careful=False) as servers:
        settings = servers.settings()
        await prepare(settings)
        async with sample_platform(settings) as sample, chromium() as browser:
            for language in LANGUAGES:
                async with watched_page(browser, sample.gateway, language=language, size=SIZE) as watched:
                    for name, path in sample.pages().items():
                        await watched.open(path)
                        await watched.page.wait_for_load_state("load")
                        _save(directory / f"{name}-{language}.png", await watched.page.screenshot())
            return len(LANGUAGES) * len(sample.pages())


def _save(path: Path, picture: bytes) -> None:
    with Image.open(io.BytesIO(picture)) as image:
        image.convert("RGB").quantize(COLOURS).save(path, optimize=True)


def main() -> None:
    """Take the pictures into the directory of the command line. Without a browser the existing ones are kept."""
    silence()
    if installed_browser() is None:
        sys.stdout.write("no chromium: the pictures of the window are kept as they are\n")
        return
    directory = Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    number = asyncio.run(take_pictures(directory))
    sys.stdout.write(f"{number} pictures of the window\n")


if __name__ == "__main__":
    main()
