"""A real Prometheus, which scrapes processes and evaluates the alerts a hundred times faster than in production."""

import asyncio
import json
import re
import shutil
import urllib.parse
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Self

import pytest

from nemuri_infra.embedded.listen_addresses import free_port
from tests.integration.harness import eventually
from tests.integration.probes import fetch_page

ALERTS = Path(__file__).parents[2] / "infra" / "deploy" / "alerts.yaml"
HASTE = 100
UNITS = {"s": 1, "m": 60, "h": 3600}
CONFIGURATION = """\
global: {{scrape_interval: 200ms, scrape_timeout: 200ms, evaluation_interval: 200ms}}
rule_files: ["{rules}"]
scrape_configs:
  - job_name: memory
    file_sd_configs: [{{files: ["{targets}"], refresh_interval: 1s}}]
"""


def hastened(rules: str) -> str:
    """Return the rules for a world in which time passes `HASTE` times faster: durations and limits of seconds are
    divided by it. Nothing else is changed.
    """

    def shorter(match: re.Match[str]) -> str:
        return f"{int(match[1]) * UNITS[match[2]] * 1000 // HASTE}ms"

    rules = re.sub(r"\b(\d+)([smh])\b", shorter, rules)
    return re.sub(r"(_seconds\) > )(\d+)", lambda match: f"{match[1]}{int(match[2]) / HASTE}", rules)


class Prometheus:
    """A running Prometheus."""

    def __init__(self, url: str, targets: Path) -> None:
        self._url, self._targets = url, targets

    @classmethod
    @asynccontextmanager
    async def running(cls, directory: Path) -> AsyncIterator[Self]:
        """Yield a Prometheus with the hastened alerts, which keeps its data in the directory. Skips the test without
        the program.
        """
        program = shutil.which("prometheus")
        if program is None:
            pytest.skip("there is no Prometheus")
        port = free_port()
        rules, targets, configuration = (directory / name for name in ("alerts.yml", "targets.json", "prometheus.yml"))
        rules.write_text(hastened(ALERTS.read_text("utf-8")), encoding="utf-8")
        targets.write_text("[]", encoding="utf-8")
        configuration.write_text(CONFIGURATION.format(rules=rules, targets=targets), encoding="utf-8")
        process = await asyncio.create_subprocess_exec(
            program,
            f"--config.file={configuration}",
            f"--storage.tsdb.path={directory / 'data'}",
            f"--web.listen-address=127.0.0.1:{port}",
            "--log.level=error",
        )
        try:
            prometheus = cls(f"http://127.0.0.1:{port}", targets)
            await eventually(prometheus._answers)
            yield prometheus
        finally:
            process.terminate()
            await process.wait()

    async def scrape(self, urls: Iterable[str | None]) -> None:
        """Scrape these processes from now on, and no others; return when all of them have been scraped."""
        hosts = sorted(urllib.parse.urlsplit(url).netloc for url in urls if url)
        self._targets.write_text(json.dumps([{"targets": hosts}]), encoding="utf-8")

        async def scraped() -> bool:
            """Return True once Prometheus has scraped all processes."""
            found = (await self._asked("targets"))["activeTargets"]
            return sorted(target["labels"]["instance"] for target in found if target["health"] == "up") == hosts

        await eventually(scraped)

    async def firing(self) -> set[str]:
        """Return the names of the alerts that fire."""
        return {alert["labels"]["alertname"] for alert in await self.alerts() if alert["state"] == "firing"}

    async def alerts(self) -> list[dict[str, Any]]:
        """Return the alerts that are pending or fire."""
        found: list[dict[str, Any]] = (await self._asked("alerts"))["alerts"]
        return found

    async def until_firing(self, *names: str) -> None:
        """Wait until all these alerts fire."""

        async def fire() -> bool:
            """Return True once the alerts fire."""
            missing = set(names) - await self.firing()
            fire.__doc__ = f"Return True once these alerts fire too: {sorted(missing)}"
            return not missing

        await eventually(fire)

    async def until_quiet(self, *names: str) -> None:
        """Wait until none of these alerts fires or is pending."""

        async def quiet() -> bool:
            """Return True once the alerts are over."""
            return not {alert["labels"]["alertname"] for alert in await self.alerts()} & set(names)

        await eventually(quiet)

    async def query(self, expression: str) -> list[dict[str, Any]]:
        """Return the values that an expression has now."""
        found: list[dict[str, Any]] = (await self._asked(f"query?query={urllib.parse.quote(expression)}"))["result"]
        return found

    async def _answers(self) -> bool:
        try:
            return (await fetch_page(self._url, "/-/ready"))[0] == 200
        except OSError:
            return False

    async def _asked(self, page: str) -> dict[str, Any]:
        answer = json.loads((await fetch_page(self._url, f"/api/v1/{page}"))[1])
        assert answer["status"] == "success", answer
        found: dict[str, Any] = answer["data"]
        return found
