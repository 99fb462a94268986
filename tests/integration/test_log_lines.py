"""The platform's log lines suffice to follow a task, and contain no content of users."""

import json
import logging
from collections.abc import Callable, Iterator
from uuid import uuid4

import pytest
import structlog
from pydantic import SecretStr
from sqlalchemy import text

from nemuri.platform.logging import configure_logging
from nemuri_contracts.tasks import TaskAnswered
from nemuri_infra.projections.database import Database
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import agent_defined, connected_client, eventually, running_services, until_idle
from tests.integration.providers.provider import Provider, ScriptedReply, openai_reply

pytestmark = pytest.mark.connected

KEY, ASKED, REMEMBERED, ANSWERED, BODY = (f"canary-{name}" for name in ("key", "asked", "known", "answered", "body"))


@pytest.fixture
def lines(capsys: pytest.CaptureFixture[str]) -> Iterator[Callable[[], str]]:
    """Yield a function that returns all lines logged so far, from level info on, in the format of a background
    process.
    """
    handlers, before = logging.root.handlers[:], structlog.get_config()
    written: list[str] = []
    configure_logging("info", terminal=False)

    def lines_so_far() -> str:
        written.append(capsys.readouterr().err)
        return "".join(written)

    yield lines_so_far
    structlog.configure(**before)
    logging.root.handlers[:] = handlers
    logging.root.setLevel(logging.WARNING)


async def test_log_lines_contain_no_user_content(settings: Settings, lines: Callable[[], str]) -> None:
    """Lines about refusals, retries and faults name the service and the task. They contain no API key, question, memory
    or text of a provider.
    """
    busy = ScriptedReply({"error": {"code": "rate_limit", "message": f"{BODY}: {ASKED}"}}, 429)
    refused = ScriptedReply({"error": {"code": "bad", "message": f"{BODY} Authorization: Bearer {KEY}"}}, 400)
    good = ScriptedReply(openai_reply(f"{ANSWERED} It is. [m1]"))
    async with Provider([busy, busy, good, refused]) as provider:
        chosen = settings.model_copy(
            update={
                "providers": "openai",
                "openai_api_key": SecretStr(KEY),
                "openai_base_url": provider.url,
                "model_attempts": 1,
            }
        )
        async with running_services(chosen) as resources, connected_client(chosen) as client:
            await resources.log.append(agent_defined())
            await client.settle()
            await client.remember("python", f"{REMEMBERED} A value is true unless its class says otherwise.")
            result = await client.ask(f"{ASKED} Is a value true?")
            await until_idle(resources)
            assert result.status == "done"
            assert ANSWERED in str(result.answer)

    logged = lines()
    assert [each for each in (KEY, ASKED, REMEMBERED, ANSWERED, BODY) if each in logged] == []
    parsed = [json.loads(line) for line in logged.splitlines()]
    waited = [each for each in parsed if each["event"] == "waiting" and "HTTP 429" in each["why"]]
    assert len(waited) == 2
    for each in waited:
        assert each["service"] == "specialist"
        assert each["kind"] == "memories_retrieved"
        assert each["task"] == str(result.task_id)
        assert each["agent"] == "python"
        assert each["sequence"] > 0
    assert [each for each in parsed if each["event"] == "nothing learned" and each["why"].endswith("HTTP 400")]


async def test_a_logged_error_has_type_and_location_without_its_message(
    settings: Settings, lines: Callable[[], str]
) -> None:
    """The line about an error has its type and code locations, but not its message, which may quote the input."""
    logger, database = structlog.get_logger(), Database.at(str(settings.database_url), settings.namespace)
    try:
        async with database.begin() as connection:
            await connection.execute(text("SELECT CAST(:given AS uuid)"), {"given": REMEMBERED})
    except Exception:
        logger.exception("fault")
    finally:
        await database.close()
    try:
        TaskAnswered.model_validate({"event_id": uuid4(), "text": [ANSWERED]})
    except ValueError:
        logger.exception("fault")
    try:
        dict[str, str]()[ASKED]
    except KeyError:
        logging.getLogger("asyncio").exception("unheard")

    logged = lines()
    assert [each for each in (ASKED, REMEMBERED, ANSWERED) if each in logged] == []
    errors = [json.loads(line) for line in logged.splitlines()]
    assert [error["error"].split()[0] for error in errors] == ["DataError", "ValidationError:", "KeyError"]
    assert all(any("test_log_lines.py" in place for place in error["where"]) for error in errors)


async def test_a_line_about_a_traced_event_has_the_trace_id(settings: Settings, lines: Callable[[], str]) -> None:
    """A line about a traced event contains the trace id."""
    headers = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
    async with running_services(settings, ["projector", "orchestrator"]) as resources:
        log = resources.log
        await log.stream.publish(f"{settings.namespace}.task.1.task_summarised", b"{", headers=headers)

        async def undecodable_logged() -> bool:
            """Return True once the undecodable event is logged."""
            return "0af7651916cd43dd8448eb211c80319c" in lines()

        await eventually(undecodable_logged)
