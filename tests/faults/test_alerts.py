"""Each alert fires at the fault that it is for: real processes fail, and a real Prometheus scrapes them.

Time passes a hundred times faster for the alerts (`hastened`); what they compare is not changed. `make alert-test` runs
this module in two minutes.
"""

import json
import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
import yaml
from nats.js.errors import ServiceUnavailableError

from nemuri.admin.webhooks import resume_webhook
from nemuri.client.exchange import ClientError
from nemuri.platform.serving import prepare
from nemuri_contracts.event import OPERATOR
from nemuri_infra.bus.event_log import Log
from nemuri_infra.embedded.data_directory import Home
from tests.faults.model_server import ModelServer
from tests.faults.processes import Platform, platform_with_model, worker
from tests.faults.prometheus import ALERTS, Prometheus
from tests.integration.harness import agent_defined, connected_client, eventually, opened_log
from tests.integration.servers import Servers, three_nodes
from tests.integration.webhooks.receiver import receiving, subscribed

pytestmark = [pytest.mark.connected, pytest.mark.long, pytest.mark.xdist_group("alerts")]  # they change it in turn

SERVICES = ("projector", "intake", "orchestrator", "specialist", "attribution", "query-api", "webhooks")
VARIABLES = {"NEMURI_HTTP": "127.0.0.1:0", "NEMURI_MODEL_ATTEMPTS": "1", "NEMURI_WEBHOOK_DAYS": "0"}
MANY = 150
"""More events than an alert allows to wait."""
DECLARED = {rule["alert"] for group in yaml.safe_load(ALERTS.read_text("utf-8"))["groups"] for rule in group["rules"]}


async def fill(log: Log) -> None:
    """Publish messages until the log refuses one, at most 300 MB."""
    for _ in range(1000):
        await log.stream.publish(f"{log.subjects.namespace}.client.-.ann.nothing", os.urandom(300_000))


@dataclass(frozen=True, slots=True)
class Watched:
    """A platform of processes, whose language model can fail, and the Prometheus that watches it."""

    platform: Platform
    model: ModelServer
    prometheus: Prometheus

    async def watch(self) -> None:
        """Scrape all workers, at the addresses that they have now."""
        await self.prometheus.scrape(self.platform.processes[name].http for name in SERVICES)  # type: ignore[attr-defined]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def watched() -> AsyncIterator[Watched]:
    """A watched platform that has done a task, with no alert."""
    directory = Path(tempfile.mkdtemp(prefix="nemuri-test-"))
    async with (
        ModelServer() as model,
        platform_with_model(model.url, SERVICES, **VARIABLES) as platform,
        Prometheus.running(directory) as prometheus,
    ):
        found = Watched(platform, model, prometheus)
        async with opened_log(platform.settings) as log:
            await log.append(agent_defined())
        await found.watch()
        async with connected_client(platform.settings) as client:
            assert (await client.ask("What is an empty list?")).status == "done"
            await client.recall("python", "empty list")
        yield found
    shutil.rmtree(directory)


async def test_a_healthy_platform_raises_no_alert(watched: Watched) -> None:
    """No alert fires or is pending for a platform that has done its work."""
    await watched.prometheus.until_quiet(*DECLARED)


async def test_a_failing_model_raises_an_alert(watched: Watched) -> None:
    """A provider that answers with errors raises an alert, and another one that answers nonsense."""
    await watched.prometheus.until_quiet("NemuriModelFailing", "NemuriModelUnreadable")
    async with connected_client(watched.platform.settings) as client:
        watched.model.misbehave("500", 1_000_000)
        await client.submit("Is an empty list true?")
        await watched.prometheus.until_firing("NemuriModelFailing")
        watched.model.misbehave("nonsense", 1_000_000)

        async def nonsense_alert() -> bool:
            """Return True once unreadable replies raise the alert. Asks on, because a rate needs further replies."""
            await client.submit("Is an empty list true?")
            return "NemuriModelUnreadable" in await watched.prometheus.firing()

        await eventually(nonsense_alert)
        watched.model.misbehave("", 0)


async def test_a_dead_letter_raises_an_alert(watched: Watched) -> None:
    """An event that is given up raises an alert."""
    await watched.prometheus.until_quiet("NemuriDeadLetters")
    async with opened_log(watched.platform.settings) as log:
        await log.stream.publish(f"{log.subjects.namespace}.client.-.mallory.nonsense", b"{")
    await watched.prometheus.until_firing("NemuriDeadLetters")


async def test_a_lost_service_raises_an_alert(watched: Watched) -> None:
    """A service without a process raises an alert, until one runs again."""
    worker_process = watched.platform.processes["specialist"]
    await watched.prometheus.until_quiet("NemuriServiceGone")
    await worker_process.kill()
    await watched.prometheus.until_firing("NemuriServiceGone")
    await worker_process.start()
    await watched.watch()
    await watched.prometheus.until_quiet("NemuriServiceGone")


async def test_a_full_log_raises_alerts(watched: Watched) -> None:
    """A log that has reached its limit raises both alerts, until the limit is raised."""
    settings = watched.platform.settings
    await watched.prometheus.until_quiet("NemuriStorageNearlyFull", "NemuriStorageFull")
    await prepare(settings.model_copy(update={"storage": 16}))
    async with opened_log(settings) as log:
        with pytest.raises(ServiceUnavailableError):
            await fill(log)
    await watched.prometheus.until_firing("NemuriStorageNearlyFull", "NemuriStorageFull")
    await prepare(settings.model_copy(update={"storage": 1024}))
    await watched.prometheus.until_quiet("NemuriStorageNearlyFull", "NemuriStorageFull")


async def test_a_paused_webhook_raises_an_alert(watched: Watched) -> None:
    """A receiver that accepts nothing raises an alert, until its webhook is resumed."""
    settings = watched.platform.settings
    await watched.prometheus.until_quiet("NemuriWebhookPaused")
    async with receiving(answer=lambda: b"500 Internal Server Error") as receiver, opened_log(settings) as log:
        webhook = await subscribed(settings, receiver.url, "agent_defined")
        await log.append(agent_defined("another"))
        await watched.prometheus.until_firing("NemuriWebhookPaused")
        receiver.answer = lambda: b"204 No Content"
        async with connected_client(settings, OPERATOR) as client:
            await resume_webhook(client, OPERATOR, webhook.webhook_id)
        await watched.prometheus.until_quiet("NemuriWebhookPaused")


async def test_every_panel_shows_what_happened(watched: Watched) -> None:
    """Every expression of every dashboard is valid for Prometheus and has a value after the faults above. Nothing was
    put off.
    """
    for path in (ALERTS.parent / "grafana").glob("*.json"):
        for panel in json.loads(path.read_text("utf-8"))["panels"]:
            for target in panel["targets"]:
                shown = await watched.prometheus.query(target["expr"].replace("$__rate_interval", "5m"))
                assert bool(shown) or panel["title"] == "Put off", (path.name, panel["title"], target["expr"])


async def test_a_lost_database_raises_alerts(watched: Watched) -> None:
    """Without the database processes are not ready, queries fail, and consumers stay at their oldest event while more
    events come.
    """
    lasting = ("NemuriNotReady", "NemuriStuck", "NemuriBehind")
    await watched.prometheus.until_quiet(*lasting, "NemuriQueriesFailing")
    await watched.platform.processes["postgres"].kill()
    async with connected_client(watched.platform.settings) as client:
        for number in range(MANY):
            await client.submit(f"Is number {number} true?")

        async def query_fails() -> bool:
            """Return True once failing queries raise the alert."""
            with pytest.raises(ClientError):
                await client.agents()
            return "NemuriQueriesFailing" in await watched.prometheus.firing()

        await eventually(query_fails)
    await watched.prometheus.until_firing(*lasting)


async def test_a_lost_node_raises_an_alert(tmp_path: Path) -> None:
    """A node of the cluster that is lost raises an alert, until it is back."""
    async with three_nodes() as cluster, Servers.running(careful=False) as servers:
        settings = servers.settings().model_copy(
            update={"nats_url": ",".join(cluster.urls), "replicas": 3, "http": "127.0.0.1:0"}
        )
        await prepare(settings)
        projector = worker(Home(tmp_path / "home"), "projector", settings)
        async with Prometheus.running(tmp_path) as prometheus:
            await projector.start()
            try:
                await prometheus.scrape([projector.http])
                await prometheus.until_quiet(*DECLARED)
                await cluster.kill(2)
                await prometheus.until_firing("NemuriCopyMissing")
                await cluster.restart(2)
                await prometheus.until_quiet("NemuriCopyMissing")
            finally:
                await projector.stop()


def test_every_alert_is_fired_here() -> None:
    """No alert is declared that no test of this module makes fire."""
    text = Path(__file__).read_text("utf-8")
    assert {name for name in DECLARED if f'"{name}"' not in text} == set()
