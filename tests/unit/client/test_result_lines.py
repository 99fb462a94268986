"""Tests of the printed text about the state of a task."""

from uuid import UUID

import pytest

from nemuri.cli.result_lines import show_result
from nemuri.cli.session import Session
from nemuri_contracts.task_views import Cost, ReadPassage, TaskResult
from nemuri_contracts.tasks import Detail

SESSION = Session(None, json=False, verbose=False)


def shown(costs: tuple[Cost, ...], capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return the printed lines of a finished task with these costs."""
    show_result(TaskResult(task_id=UUID(int=1), status="done", agent_id="clerk", model="m", costs=costs), SESSION)
    return capsys.readouterr().out.splitlines()


def test_the_cost_of_language_models_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """One line shows the tokens of each step, the model that was asked, and the prompts with their versions."""
    prompts = ("answer@4", "answer_memo@1")
    answer = Cost(
        step="answer", model="large", input_tokens=1_234, output_tokens=56, cached_tokens=1_000, prompts=prompts
    )
    learnings = Cost(step="learnings", model="small", input_tokens=7, output_tokens=8)
    lines = shown((answer, learnings), capsys)
    made_by = "large, answer@4, answer_memo@1"
    assert f"cost     answer 1,234 (1,000 cached) + 56 tokens ({made_by}); learnings 7 + 8 tokens (small)" in lines


def test_cited_passages_are_shown_with_document_and_page(capsys: pytest.CaptureFixture[str]) -> None:
    """Each cited passage has a line with its label, document, page and section. Uncited passages have none."""
    first = Detail(document="report.pdf", ref="0" * 64, start=0, end=9, pages=(12, 12), section="Results")
    second = Detail(document="notes.txt", ref="1" * 64, start=0, end=9)
    passages = tuple(
        ReadPassage(label=f"d{number}", agent_id="clerk", detail=detail, cited=number != 2)
        for number, detail in enumerate((first, second, second.model_copy(update={"pages": (1, 2)})), 1)
    )
    found = TaskResult(task_id=UUID(int=1), status="done", agent_id="clerk", model="m", passages=passages)
    show_result(found, SESSION)
    lines = capsys.readouterr().out.splitlines()
    assert 'cited    [d1] report.pdf, p. 12, "Results"' in lines
    assert "         [d3] notes.txt, pp. 1-2" in lines
    assert not any("[d2]" in line for line in lines)


def test_a_task_without_costs_has_no_cost_line(capsys: pytest.CaptureFixture[str]) -> None:
    """A task that used only the extractive model has no tokens, and therefore no line about costs."""
    assert not [line for line in shown((Cost(step="answer", model="extractive"),), capsys) if "cost" in line]


def test_the_share_of_documents_that_was_read_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """One line shows the share of the documents that was read. It is missing if they were read completely."""
    parts = {"chunks": 13, "chunks_read": 5}
    for share, line in (
        (0.042, ["read     4 % of the documents, in passages from 5 of 13 chunks"]),
        (1.0, []),
        (None, []),
    ):
        found = TaskResult.model_validate({"task_id": UUID(int=1), "status": "done", "share_read": share} | parts)
        show_result(found, SESSION)
        assert [each for each in capsys.readouterr().out.splitlines() if each.startswith("read ")] == line


def test_an_overview_is_told_with_its_extent(capsys: pytest.CaptureFixture[str]) -> None:
    """One line says that the answer is about the documents as a whole, how much was read, and from what it was made."""
    overview = {"kind": "summary", "basis": "notes", "parts": 10, "parts_read": 10, "share": 1.0}
    for extent, line in (
        ({}, "overview summary of all parts of the documents, from notes on each part"),
        (
            {"parts_read": 4, "share": 0.413, "kind": "list", "basis": "key points"},
            "overview list of 4 of 10 parts of the documents (41 % of the text), from a key point of each part",
        ),
    ):
        found = {"task_id": UUID(int=1), "status": "done", "share_read": 0.4, "overview": overview | extent}
        show_result(TaskResult.model_validate(found), SESSION)
        lines = capsys.readouterr().out.splitlines()
        assert line in lines
        assert not [each for each in lines if each.startswith("read ")]
