"""The files of public benchmarks are read as histories with questions and evidence."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from nemuri.evaluation.benchmark import BenchmarkFileError, chosen
from nemuri.evaluation.benchmarks import READERS, read_benchmark
from tests.unit.client.evaluation.samples import LOCOMO, LONGMEMEVAL, beam_folder, written


def test_locomo_is_read_in_the_order_of_its_sessions(tmp_path: Path) -> None:
    """Sessions follow their numbers, turns have speakers, times and captions; slips in names of evidence are read."""
    [history] = read_benchmark("locomo", [written(tmp_path / "locomo.json", LOCOMO)])
    assert [one.name for one in history.conversations] == ["session_1", "session_2"]
    last = history.conversations[1].messages[1]
    assert (last.text, last.speaker) == ("It left for Oslo yesterday. [a red ferry]", "Ann")
    assert last.at == datetime(2023, 6, 3, 9, 5, tzinfo=UTC)
    name, when, unknown = history.questions
    assert (name.kind, name.answer, name.evidence) == ("single-hop", "Pixel", frozenset({("session_1", 0)}))
    assert (when.answer, when.evidence) == ("2", frozenset({("session_2", 1), ("session_1", 2)}))
    assert (unknown.kind, unknown.answer, unknown.unanswerable) == ("adversarial", "", True)
    assert when.asked_at == last.at


def test_longmemeval_is_read_oldest_chat_first(tmp_path: Path) -> None:
    """Each question has its own history in the order of dates; turns with the answer are its evidence."""
    moved, boats = read_benchmark("longmemeval", [written(tmp_path / "s.json", LONGMEMEVAL)])
    assert [one.name for one in moved.conversations] == ["s1#1", "s2#0"]
    assert [message.role for message in moved.conversations[0].messages] == ["user", "assistant"]
    [question] = moved.questions
    assert (question.evidence, question.kind) == (frozenset({("s2#0", 0)}), "knowledge-update")
    assert question.asked_at == datetime(2023, 6, 1, 10, tzinfo=UTC)
    assert "newest" in question.rule
    assert (boats.questions[0].kind, boats.questions[0].unanswerable) == ("abstention", True)


@pytest.mark.parametrize("plans", [False, True])
def test_beam_is_read_with_its_criteria(tmp_path: Path, plans: bool) -> None:
    """Batches are conversations, numbers at the ends of messages are left out, and what was replaced misleads."""
    [history] = read_benchmark("beam", [beam_folder(tmp_path / "100K" / "1", plans=plans)])
    first, second = history.conversations
    assert [message.text for message in first.messages] == ["My deadline is in May.", "Noted."]
    assert first.messages[1].at == datetime(2024, 3, 15, tzinfo=UTC)
    update, unknown, order = history.questions
    assert (update.evidence, update.misleading) == (frozenset({(second.name, 0)}), frozenset({(first.name, 0)}))
    assert (update.answer, update.criteria) == ("June", ("It says June.",))
    assert (unknown.unanswerable, unknown.answer) == (True, "Not told.")
    assert order.evidence == {(first.name, 0), (second.name, 0)}


def test_beam_prefers_the_chat_that_was_cut(tmp_path: Path) -> None:
    """A folder of folders is read in the order of their numbers, each by its cut chat if it has one."""
    beam_folder(tmp_path / "10")
    beam_folder(tmp_path / "2", cut=True)
    histories = read_benchmark("beam", [tmp_path])
    assert [history.history_id.rpartition("/")[2] for history in histories] == ["2", "10"]
    assert [len(history.conversations) for history in histories] == [1, 2]


def test_updates_come_with_the_package() -> None:
    """Each pair is told in January and in June, and asked for once, in both languages."""
    histories = read_benchmark("updates", [])
    questions = [question for history in histories for question in history.questions]
    assert {question.kind for question in questions} == {
        f"{kind} {language}" for kind in ("changed", "both_true", "parallel") for language in ("en", "ja")
    }
    assert len({question.question_id for question in questions}) == len(questions)
    for history in histories:
        places = {place for place, _ in history.messages()}
        assert len(places) == 2 * len(history.questions)
        assert all(question.evidence | question.misleading <= places for question in history.questions)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("content", ["", "[", "7", "[7]", '[{"qa": []}]', '{"changed": 1}', "\N{SNOWMAN}"])
def test_other_files_are_refused(tmp_path: Path, name: str, content: str) -> None:
    """What is no file of the benchmark is refused with the path."""
    path = tmp_path / "other.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(BenchmarkFileError, match=r"other\.json"):
        read_benchmark(name, [path])
    with pytest.raises(BenchmarkFileError, match="missing"):
        read_benchmark(name, [tmp_path / "missing"])


def test_a_history_is_not_counted_twice(tmp_path: Path) -> None:
    """The same file given twice is refused."""
    path = written(tmp_path / "locomo.json", LOCOMO)
    with pytest.raises(BenchmarkFileError, match="conv-1"):
        read_benchmark("locomo", [path, path])


def test_questions_are_drawn_by_kind_and_seed() -> None:
    """A limit draws the same questions for the same seed, and histories without questions are left out."""
    histories = read_benchmark("updates", [])
    drawn = [question.question_id for history in chosen(histories, limit=7, seed=3) for question in history.questions]
    assert len(drawn) == 7
    again = chosen(histories, limit=7, seed=3)
    assert [question.question_id for history in again for question in history.questions] == drawn
    [only] = chosen(histories, kinds=frozenset({"parallel ja"}))
    assert {question.kind for question in only.questions} == {"parallel ja"}
