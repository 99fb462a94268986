"""Tests of the printed text about a course."""

from datetime import UTC, datetime
from uuid import UUID

import pytest

from nemuri.cli.education import _show
from nemuri_contracts.education_views import ChapterReport, CourseReport, CoursesView
from nemuri_contracts.event import Usage

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def chapter(usage: Usage | None) -> ChapterReport:
    """Return a chapter whose reading needed these tokens; None if no model was asked."""
    return ChapterReport(
        title="Sleep", read=usage is not None, slept=False, memories=1, archived=0, strength=None, exercises=0,
        right=0, wrong=0, due_at=None, usage=usage,
    )  # fmt: skip


def shown(capsys: pytest.CaptureFixture[str], *usages: Usage | None) -> str:
    """Return the printed text of a course with these chapters."""
    course = CourseReport(
        course_id=UUID(int=1), title="Sleep", digest="", perspective=None, repeating="fixed", begun_at=NOW,
        finished_at=None, chapters=tuple(map(chapter, usages)),
    )  # fmt: skip
    _show(CoursesView(agent_id="clerk", now=NOW, courses=(course,)))
    return capsys.readouterr().out


def test_the_cost_of_reading_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """One line shows the cost of reading all chapters together. It is missing if no language model was asked."""
    large = Usage(model="large", input_tokens=1_000, output_tokens=30)
    assert "reading cost 2,000 + 60 tokens (large)\n" in shown(capsys, large, large, None)
    assert "cost" not in shown(capsys, Usage(model="extractive"), None)
