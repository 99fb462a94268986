"""Studying a society: its record and export, questions aside, steering, and forks."""

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from nemuri_infra.bus.event_log import Log
from nemuri_infra.runtime.settings import Settings
from nemuri_society.contracts.record import Record
from nemuri_society.operations.comparison import compare_societies
from nemuri_society.operations.export import ExportError, export_record, read_export, row_of
from nemuri_society.operations.fork import fork_society
from nemuri_society.operations.html_report import report_page
from nemuri_society.operations.interviews import interview, survey
from nemuri_society.operations.lifecycle import create_society, resume_society
from nemuri_society.operations.society_steering import continue_society, inject, pause_society, step_society
from nemuri_society.operations.story import agent_story
from nemuri_society.simulation.checkpoints import Checkpoints
from nemuri_society.simulation.control import read_limit
from nemuri_society.stores.society_record import SocietyRecord
from nemuri_society.stores.society_states import SocietyError, States
from tests.integration.harness import eventually
from tests.integration.providers.provider import ReceivedRequest, ScriptedReply, openai_reply
from tests.integration.society.fake_language_model import FakeLanguageModel
from tests.integration.society.living_society import NAME, living, recorded, village

pytestmark = pytest.mark.connected
LIVED = {"speech", "decision", "act", "percept", "feeling", "goals", "item", "places", "figures"}
"""Kinds of events that every life has."""


async def until_recorded(log: Log, *kinds: str, name: str = NAME, times: int = 1) -> None:
    """Return when a society has at least `times` events of each of these kinds on record."""

    async def there() -> bool:
        """Return True if the kinds are on record."""
        counts = Counter(event.kind for event in await recorded(log, name))
        return all(counts[kind] >= times for kind in kinds)

    await eventually(there)


async def live_on(log: Log, name: str = NAME, events: int = 30) -> None:
    """Let a society go on until it has some more events on record."""
    before = len(await recorded(log, name))

    async def more() -> bool:
        """Return True if there are so many more events on record."""
        return len(await recorded(log, name)) >= before + events

    async with living(log, name):
        await eventually(more)


async def everything_stored(log: Log, states: States) -> tuple[object, ...]:
    """Return all states of a society without its leases, the end of the log, and the record."""
    entries = {entry.key: entry.value async for entry in states.read() if not entry.key.startswith("lease.")}
    return entries, await log.last_sequence(), [event.values for event in await recorded(log)]


async def test_a_life_is_on_record_and_an_export_equals_the_record(log: Log, tmp_path: Path) -> None:
    """Speech, decisions, acts, percepts, feelings, goals, items, places and figures are on record, each once and valid.

    An export that is read back equals the record.
    """
    society = village()
    await create_society(log, society)
    async with living(log):
        await until_recorded(log, *LIVED)
    events = await recorded(log)
    for message in [message async for message in SocietyRecord(log, NAME).stored()]:
        Record.model_validate_json(message.data)
    ids = Counter((event.agent, event.values.get("act_id")) for event in events if event.kind == "act")
    decisions = Counter((event.agent, event.values["decision"]) for event in events if event.kind == "decision")
    assert {*ids.values(), *decisions.values()} == {1}
    file = tmp_path / "life.jsonl"
    done = await export_record(log, NAME, file)
    names = {agent.id: agent.name for agent in society.agents}
    rows = [row_of(event, names) | {"at": event.at.isoformat()} for event in events]
    assert [*read_export(file)] == rows
    assert (done.events, done.missed) == (len(rows), 0)
    assert done.manifest.exists()
    with pytest.raises(ExportError, match="exists already"):
        await export_record(log, NAME, file)
    pytest.importorskip("pyarrow")
    await export_record(log, NAME, table := tmp_path / "life.parquet")
    assert [*read_export(table)] == rows


async def test_a_resumed_society_records_nothing_twice(log: Log) -> None:
    """A society that goes on with another host repeats nothing of what is on record."""
    await create_society(log, village())
    async with living(log):
        await until_recorded(log, *LIVED)
    await live_on(log, NAME, 100)
    events = await recorded(log)
    own = [event for event in events if event.agent and event.kind not in {"places", "figures"}]
    repeated = Counter(f"{event.second} {event.agent} {sorted(event.values.items(), key=str)}" for event in own)
    acts = Counter((event.agent, event.values["act_id"]) for event in own if event.kind == "act")
    assert set(acts.values()) == {1}
    assert [text for text, count in repeated.items() if count > 1] == []
    items = Counter((event.agent, event.values["item"]) for event in events if event.kind == "item")
    assert set(items.values()) == {1}


async def test_an_interview_leaves_no_trace(log: Log, settings: Settings) -> None:
    """A language model answers a question from an agent's state. The states, the log and the record stay the same."""
    society = village()
    states = await create_society(log, society)
    async with living(log):
        await until_recorded(log, "decision", "percept", times=12)
    before = await everything_stored(log, states)
    async with FakeLanguageModel() as model:
        told = settings.model_copy(update={"providers": "openai"})
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("OPENAI_API_KEY", "k")
            patch.setenv("OPENAI_BASE_URL", f"{model.url}/v1")
            answer = await interview(log, told, NAME, "aiko", "What do you want?")
            answers = await survey(log, told, NAME, "What do you want?")
        asked = [str(request.body["messages"][1]["content"]) for request in model.received]
    assert (answer.name, answer.by) == ("Aiko", "model")
    assert answer.answer == 'I am Aiko. "What do you want?" is a good question.'
    assert [one.name for one in answers] == [agent.name for agent in society.agents]
    assert any("you have decided: " in prompt and "you remember: " in prompt for prompt in asked)
    assert await everything_stored(log, states) == before
    assert "no language model answers" in (await interview(log, settings, NAME, "Aiko", "Why?")).answer
    with pytest.raises(SocietyError, match="no agent 'Nobody'"):
        await interview(log, settings, NAME, "Nobody", "Why?")


@pytest.mark.long
async def test_a_society_stands_still_steps_and_runs_on(log: Log) -> None:
    """A paused society records nothing new and steps by exact seconds of its clock, until it is continued."""
    await create_society(log, village(speed=2.0))
    with pytest.raises(SocietyError, match="not running"):
        await pause_society(log, NAME)
    async with living(log) as host:
        await until_recorded(log, "decision")
        with pytest.raises(SocietyError, match="is running"):
            await resume_society(log, NAME, None)
        second = await pause_society(log, NAME)
        assert host.clock() <= second
        await eventually(lambda: _stands(host.clock))
        assert await step_society(log, NAME, 1.5) == pytest.approx(second + 1.5)
        assert await step_society(log, NAME, 0.1) == pytest.approx(second + 1.6)
        stood = host.clock()
        assert await pause_society(log, NAME) == pytest.approx(second + 1.6)
        assert host.clock() == stood
        await continue_society(log, NAME)
        await eventually(lambda: _later(host.clock, stood + 2))
        stepping = asyncio.ensure_future(step_society(log, NAME, 1_000))
        await eventually(lambda: _is_limited(log))
        await pause_society(log, NAME)
        with pytest.raises(SocietyError, match="another command has changed the clock"):
            await stepping


async def test_a_world_without_a_clock_of_its_own_is_not_paused(log: Log) -> None:
    """A society in Minecraft is refused in one line, whether it runs or not, and no limit of its clock is stored."""
    states = await create_society(log, village(world="minecraft"))
    for command in (pause_society, continue_society):
        with pytest.raises(SocietyError, match="cannot be paused: its world, minecraft, does not stand still"):
            await command(log, NAME)
    assert (await read_limit(states)).until is None


async def _is_limited(log: Log) -> bool:
    """Return True if a limit of the clock is in force."""
    return (await read_limit(await States.open(log, NAME))).until is not None


async def _stands(clock: object) -> bool:
    """Return True if the clock stands still."""
    before = clock()  # type: ignore[operator]
    await asyncio.sleep(0.05)
    return bool(clock() == before)  # type: ignore[operator]


async def _later(clock: object, second: float) -> bool:
    """Return True if the clock is past a second."""
    return bool(clock() > second)  # type: ignore[operator]


async def test_beliefs_events_and_laws_reach_an_agent_once(log: Log) -> None:
    """What is given to an agent is in its conclusions, its laws and its memory, and on record once."""
    await create_society(log, village(speed=2.0))
    waiting, has_it = await inject(log, NAME, "Aiko", "event", "A storm breaks.")
    assert (waiting.name, has_it) == ("Aiko", False)
    async with living(log) as host:
        assert (await inject(log, NAME, "Aiko", "belief", "Akira is a thief."))[1]
        assert (await inject(log, NAME, "Aiko", "law", "Nobody steals."))[1]
        await until_recorded(log, "laws", "percept")
        state = host.engine.states[waiting.id].values()
        assert {"A storm breaks.", "Akira is a thief."} <= {one["insight"] for one in state["reflections"]["entries"]}  # type: ignore[index,union-attr,call-overload]
        assert state["profile"]["laws"] == ["Nobody steals."]
        await eventually(lambda: _remembers(log, {"A storm breaks.", "Akira is a thief."}))
    await live_on(log)
    events = await recorded(log)
    assert Counter(event.values["text"] for event in events if event.kind == "influence") == {
        "A storm breaks.": 1, "Akira is a thief.": 1, "Nobody steals.": 1
    }  # fmt: skip


async def _remembers(log: Log, texts: set[str]) -> bool:
    """Return True if these texts became memories."""
    return texts <= {event.values["content"] for event in await recorded(log) if event.kind == "percept"}


async def test_interventions_and_probes_happen_at_their_seconds_once(log: Log) -> None:
    """Interventions and probes of the definition reach those whom they name, not before their second, and once."""
    society = village(
        interventions=[{"at": 3, "who": ["Aiko"], "belief": "Wood is holy."}, {"at": 4, "law": "Nobody fells trees."}],
        probes=[{"at": 5, "question": "What is holy?", "who": ["Aiko", "Akira"]}],
    )
    await create_society(log, society)
    async with living(log):
        await until_recorded(log, "answer", times=2)
    await live_on(log)
    events = await recorded(log)
    given = [event for event in events if event.kind == "influence"]
    assert all(event.second >= 3 for event in given)
    assert Counter(event.values["sort"] for event in given) == {"belief": 1, "law": 4}
    answers = [event for event in events if event.kind == "answer"]
    assert sorted(str(event.agent) for event in answers) == [f"{NAME}-0000", f"{NAME}-0001"]
    assert all(event.second >= 5 and event.values["by"] == "state" for event in answers)
    assert "What is holy?" in await agent_story(log, NAME, "Aiko")


class SilentWhenAsked(FakeLanguageModel):
    """A model whose replies to questions aside are empty."""

    def _next(self, request: ReceivedRequest) -> ScriptedReply:
        reply = super()._next(request)
        return reply if "asks you a question aside" not in str(request.body) else ScriptedReply(openai_reply(""))


async def test_a_probe_that_fails_is_asked_again_a_few_times_only(
    log: Log, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A probe that the model does not answer is asked again after each pause, and counts as one failure then. Nothing
    goes on record, and the modules go on.
    """
    monkeypatch.setattr("nemuri_society.simulation.host_study.PROBE_PAUSES", (0.0, 0.0))
    await create_society(log, village(2, probes=[{"at": 1, "question": "Why?", "who": ["Aiko"]}]))
    async with SilentWhenAsked() as model:
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        monkeypatch.setenv("OPENAI_BASE_URL", f"{model.url}/v1")
        told = settings.model_copy(update={"providers": "openai"})
        async with living(log, models=told.model_settings()) as host:

            async def given_up() -> bool:
                """Return True once the host has told of the failure and many decisions came after it."""
                return host.health.failures["interview"] > 0 and model.answered["decision"] > 12

            await eventually(given_up)
            assert host.health.failures["interview"] == 1
    assert model.answered["interview"] == 3
    assert "answer" not in {event.kind for event in await recorded(log)}


@pytest.mark.long
async def test_a_fork_equals_its_trunk_until_the_fork_and_differs_after_an_injection(log: Log) -> None:
    """A fork has the states, memories and record of the checkpoint. Given another belief, it goes another way."""
    society = village()
    states = await create_society(log, society)
    async with living(log):
        await until_recorded(log, "speech", "act", "feeling", "percept")
    await (await Checkpoints.open(log, NAME)).make(states)
    await live_on(log)
    fork = await fork_society(log, NAME, "newest", "branch")
    assert [agent.name for agent in fork.agents] == [agent.name for agent in society.agents]
    same = await compare_societies(log, NAME, "branch")
    assert (same.equal_until_fork, same.differences) == (True, ())
    assert same.fork is not None
    assert same.until >= same.fork
    with pytest.raises(SocietyError, match="compared with itself"):
        await compare_societies(log, NAME, NAME)
    everything = [entry.value async for entry in (await States.open(log, "branch")).read("agent.>")]
    assert everything
    assert not [value for value in everything if f'"{NAME}-' in value.decode()]

    await inject(log, "branch", "Aiko", "belief", "Akira is a thief.")
    async with living(log, "branch"):
        await until_recorded(log, "influence", name="branch")
        await eventually(lambda: _past(log, "branch", float(same.fork or 0) + 3))
    after = await compare_societies(log, NAME, "branch")
    assert after.equal_until_fork
    [given] = [one for one in after.differences if one.kind == "influence"]
    assert (given.name, given.only_first, given.only_second) == ("Aiko", 0, 1)
    page = await report_page(log, "branch")
    assert "Akira is a thief." in page
    assert "Different items that an agent has held" in page
    assert "built-in" not in page
    with pytest.raises(FileExistsError):
        await fork_society(log, NAME, "newest", "branch")


async def _past(log: Log, name: str, second: float) -> bool:
    """Return True if a society has an event after a second on record."""
    return any(event.second > second for event in await recorded(log, name))


async def test_a_society_that_goes_back_has_two_branches(log: Log) -> None:
    """After a return to a checkpoint the record goes on from there; what came after it before is another branch."""
    states = await create_society(log, village())
    async with living(log):
        await until_recorded(log, "decision")
    await (await Checkpoints.open(log, NAME)).make(states)
    await live_on(log)
    abandoned = max(event.second for event in await recorded(log))
    await resume_society(log, NAME, "newest")
    back = await recorded(log)
    assert max(event.second for event in back) < abandoned
    assert max(event.second for event in await recorded(log, branches=True)) == abandoned
    assert [event.kind for event in back].count("restored") == 1
    assert await SocietyRecord(log, NAME).missed() == 0
