"""A shortened form of the demo, with real servers and real texts."""

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
from nemuri.demo.scenario import DemoRecord
from nemuri.demo.texts import document, topics
from nemuri_domain.strength.policy import Policy
from nemuri_infra.runtime.settings import Settings
from tests.condition_waits import PATIENCE

pytestmark = pytest.mark.connected

SHORT_QUESTIONS = (*QUESTIONS[:5], QUESTIONS[8], QUESTIONS[-1])
"""Questions on a few topics, one on the whole reference, and one that lists too many questions."""


@pytest.fixture
def temporary_files(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A directory for all temporary files, so that a test can check what is left in it.

    It is outside pytest's own directories, which the user that PostgreSQL runs as may not enter.
    """
    with tempfile.TemporaryDirectory(prefix="nemuri-test-") as directory:
        monkeypatch.setattr(tempfile, "tempdir", directory)
        yield Path(directory)


def memory_console() -> Console:
    """Return a console that writes to memory and is not a terminal."""
    return Console(file=io.StringIO(), width=160, markup=False, highlight=False)


def printed(console: Console) -> str:
    """Return the text printed on a console as one line, with single spaces."""
    assert isinstance(console.file, io.StringIO)
    return " ".join(console.file.getvalue().split())


def entries(directory: Path) -> list[Path]:
    """Return the entries of a directory."""
    return list(directory.iterdir())


def running_processes(directory: Path) -> list[str]:
    """Return the command lines of the running processes that name a directory."""
    return [
        str(process.info["cmdline"])
        for process in psutil.process_iter(["cmdline"])
        if any(str(directory) in part for part in process.info["cmdline"] or ())
    ]


async def test_learned_memories_are_strengthened_and_unused_ones_fade(temporary_files: Path) -> None:
    """The second round uses and strengthens learned memories, and unused ones fade. No file and no process is left."""
    console = memory_console()
    played, code = await perform(Settings(), console, questions=SHORT_QUESTIONS)
    assert code == 0
    _assert_read_and_negotiated(played)
    _assert_learned_memories_used(played)
    _assert_printed(played, printed(console))
    assert entries(temporary_files) == []
    assert running_processes(temporary_files) == []


def _assert_read_and_negotiated(played: DemoRecord) -> None:
    """Assert that the large input was read in chunks, and that too many items were negotiated in both rounds."""
    whole = played.first[5]
    assert whole.way.chunks == whole.way.read > 20
    for asked in (played.first[-1], played.second[-1]):
        assert (asked.way.items, asked.way.options, asked.way.parts) == (24, 4, 3)
    for asked in played.first:
        assert asked.result.learned
        assert asked.way.scores[0].agent_id == asked.way.agent_id


def _assert_learned_memories_used(played: DemoRecord) -> None:
    """Assert that the second round used memories learned in the first round without documents, and that unused ones
    weakened.
    """
    for asked in played.second[:-1]:
        assert asked.way.chunks == 0
        assert set(asked.result.used) & set(asked.result.citations) & set(played.learned)
        assert set(asked.way.methods.values()) == {"citation"}
        assert not asked.result.learned
    before, after = played.before.memories, played.after.memories
    assert played.used
    assert played.unused
    strongest_unused = max(after[memory].strength for memory in played.unused)
    for moved in played.rank_changes():
        assert after[moved.memory_id].strength > max(before[moved.memory_id].strength, strongest_unused)
        assert after[moved.memory_id].access_count > before[moved.memory_id].access_count
        assert after[moved.memory_id].impact_score > 0
    for memory in played.unused:
        assert after[memory].strength < before[memory].strength
    assert fmean(moved.score_gain for moved in played.rank_changes()) > 0
    assert sum(moved.ranks_gained for moved in played.rank_changes()) >= 0


def _assert_printed(played: DemoRecord, story: str) -> None:
    """Assert that the printed story shows the platform's numbers."""
    assert "0 differences in" in story
    assert f"Of {len(played.learned)} memories learned in the first round" in story
    assert f"{len(played.unused)} have never been used" in story
    for asked in (*played.first, *played.second):
        number = len(asked.result.learned)
        assert (f"learned {number} (" if number else "no new learnings") in story


async def test_a_cancelled_demo_leaves_nothing(temporary_files: Path) -> None:
    """A demo cancelled in the middle of a task stops its servers and removes its temporary directory."""
    console = memory_console()
    playing = asyncio.create_task(run(Settings(), console, questions=QUESTIONS))
    async with asyncio.timeout(PATIENCE):
        while " 1. " not in printed(console):
            assert not playing.done()
            await asyncio.sleep(0.02)
    assert entries(temporary_files)
    playing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await playing
    assert entries(temporary_files) == []
    assert running_processes(temporary_files) == []


@pytest.mark.long
async def test_a_demo_keeps_the_users_data_directory(temporary_files: Path) -> None:
    """A demo keeps the data in a directory that the user names. A second demo in that directory is refused."""
    from nemuri.client.exchange import ClientError

    own = temporary_files / "mine"
    one = (replace(QUESTIONS[0], praised=False),)
    assert await run(Settings(), memory_console(), data=own, questions=one) == 0
    assert (own / "nats").is_dir()
    with pytest.raises(ClientError, match="needs a platform without agents"):
        await run(Settings(), memory_console(), data=own, questions=one)
    assert running_processes(own) == []


def test_the_example_agents_expect_one_task_a_day() -> None:
    """Each example agent has its own perspectives with keywords, one principle, and a policy under which fading is
    visible.
    """
    agents = example_agents()
    names = [name for agent in agents for name in agent.definition.perspective_names]
    assert len(agents) == 4
    assert len(set(names)) == len(names)
    for agent in agents:
        assert 3 <= len(agent.definition.perspectives) <= 5
        assert all(perspective.keywords for perspective in agent.definition.perspectives)
        assert len(agent.definition.principles) == 1
        assert Policy.of(agent.policy or {}).expected_tasks_per_day == 1
        assert Policy.of(agent.policy or {}).fading == "tasks"


def test_every_question_comes_with_text() -> None:
    """The demo has at least twelve questions, and the documentation of this Python has text for each topic."""
    assert len(QUESTIONS) >= 12
    for question in QUESTIONS:
        _, text = document(question.topics)
        assert len(text) > 500
    assert len(document(("*",))[1]) > sum(map(len, topics().values()))
