"""The demo, shortened: real servers, real texts, and the story that it tells."""

import asyncio
import io
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import psutil
import pytest
from rich.console import Console

from nemuri.demo import run
from nemuri.demo.agents import example_agents
from nemuri.demo.questions import QUESTIONS
from nemuri.demo.run import perform
from nemuri.demo.scenario import Played
from nemuri.demo.texts import document, topics
from nemuri_domain.strength.policy import Policy
from nemuri_infra.runtime.settings import Settings

pytestmark = pytest.mark.connected

SHORTER = (*QUESTIONS[:5], QUESTIONS[8], QUESTIONS[-1])
"""A few topics, the whole reference, and the list of too many questions."""


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where temporary files go, so that one can see what is left of them.

    Not pytest's own folder, which it closes to the other user that PostgreSQL runs as.
    """
    with tempfile.TemporaryDirectory(prefix="nemuri-test-") as directory:
        monkeypatch.setattr(tempfile, "tempdir", directory)
        yield Path(directory)


def paper() -> Console:
    """A console that is no terminal."""
    return Console(file=io.StringIO(), width=160, markup=False, highlight=False)


def written(console: Console) -> str:
    """What was printed on it, on one line."""
    assert isinstance(console.file, io.StringIO)
    return " ".join(console.file.getvalue().split())


def left_behind(directory: Path) -> list[Path]:
    """What is in the directory."""
    return list(directory.iterdir())


def left_running(directory: Path) -> list[str]:
    """Processes that work in the directory."""
    return [
        str(process.info["cmdline"])
        for process in psutil.process_iter(["cmdline"])
        if any(str(directory) in part for part in process.info["cmdline"] or ())
    ]


async def test_what_was_learned_is_used_strengthened_and_what_was_not_fades(temporary: Path) -> None:
    """Two rounds of the same questions; then nothing of the platform is left."""
    console = paper()
    played, code = await perform(Settings(), console, questions=SHORTER)
    assert code == 0
    _assert_read_and_negotiated(played)
    _assert_remembered(played)
    _assert_told(played, written(console))
    assert left_behind(temporary) == []
    assert left_running(temporary) == []


def _assert_read_and_negotiated(played: Played) -> None:
    """Large inputs were read in chunks, and too many items were negotiated, both times."""
    whole = played.first[5]
    assert whole.way.chunks == whole.way.read > 20
    for asked in (played.first[-1], played.second[-1]):
        assert (asked.way.items, asked.way.options, asked.way.parts) == (24, 3, 3)
    for asked in played.first:
        assert asked.result.learned
        assert asked.way.scores[0].agent_id == asked.way.agent_id


def _assert_remembered(played: Played) -> None:
    """The second round drew, without documents, on what the first one learned; that grew, the rest faded."""
    for asked in played.second[:-1]:
        assert asked.way.chunks == 0
        assert set(asked.result.used) & set(asked.result.citations) & set(played.learned)
        assert set(asked.way.methods.values()) == {"citation"}
        assert not asked.result.learned
    before, after = played.before.memories, played.after.memories
    assert played.used
    assert played.unused
    strongest_unused = max(after[memory].strength for memory in played.unused)
    for moved in played.places():
        assert after[moved.memory_id].strength > max(before[moved.memory_id].strength, strongest_unused)
        assert after[moved.memory_id].access_count > before[moved.memory_id].access_count
        assert after[moved.memory_id].impact_score > 0
    for memory in played.unused:
        assert after[memory].strength < before[memory].strength
    assert fmean(moved.rise for moved in played.places()) > 0
    assert sum(moved.climb for moved in played.places()) >= 0


def _assert_told(played: Played, story: str) -> None:
    """The screen shows the numbers of the platform."""
    assert "0 differences in" in story
    assert f"Of {len(played.learned)} memories learned in the first round" in story
    assert f"{len(played.unused)} have never been used" in story
    for asked in (*played.first, *played.second):
        number = len(asked.result.learned)
        assert (f"learned {number} (" if number else "no new learnings") in story


async def test_a_cancelled_demo_leaves_nothing(temporary: Path) -> None:
    """Ctrl-C in the middle of a task: servers end and the temporary directory goes."""
    console = paper()
    playing = asyncio.create_task(run(Settings(), console, questions=QUESTIONS))
    async with asyncio.timeout(60):
        while " 1. " not in written(console):
            assert not playing.done()
            await asyncio.sleep(0.02)
    assert left_behind(temporary)
    playing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await playing
    assert left_behind(temporary) == []
    assert left_running(temporary) == []


async def test_given_data_are_kept_and_not_played_in_twice(temporary: Path) -> None:
    """With a directory of the user's own the platform's data stay, and a second demo there says what is wrong."""
    from nemuri.client.exchange import ClientError

    own = temporary / "mine"
    one = (replace(QUESTIONS[0], praised=False),)
    assert await run(Settings(), paper(), data=own, questions=one) == 0
    assert (own / "nats").is_dir()
    with pytest.raises(ClientError, match="this data directory has agents already"):
        await run(Settings(), paper(), data=own, questions=one)
    assert left_running(own) == []


def test_the_example_agents_expect_one_task_a_day() -> None:
    """Each has perspectives of its own with keywords, one principle, and a policy under which fading can be seen."""
    agents = example_agents()
    names = [name for agent in agents for name in agent.definition.perspective_names]
    assert len(agents) == 4
    assert len(set(names)) == len(names)
    for agent in agents:
        assert 3 <= len(agent.definition.perspectives) <= 5
        assert all(each.keywords for each in agent.definition.perspectives)
        assert len(agent.definition.principles) == 1
        assert Policy.of(agent.policy or {}).expected_tasks_per_day == 1
        assert Policy.of(agent.policy or {}).fading == "tasks"


def test_every_question_comes_with_text() -> None:
    """All topics are known to this Python, and at least twelve questions are asked."""
    assert len(QUESTIONS) >= 12
    for question in QUESTIONS:
        _, text = document(question.topics)
        assert len(text) > 500
    assert len(document(("*",))[1]) > sum(map(len, topics().values()))
