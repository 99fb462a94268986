"""Tests of the output of an answer while it is written."""

import pytest

from nemuri.terminal.draft_printer import DraftPrinter
from nemuri.terminal.output import reading
from nemuri_contracts.answer_draft import AnswerDraft
from nemuri_contracts.event import derive
from nemuri_infra.bus.answer_drafts import DraftText

WORK = derive("a task", "task_assigned")


def printed(texts: list[str], answer: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Return what is printed for these drafts and the answer."""
    with reading("on its way") as line:
        printer = DraftPrinter(line)
        for text in texts:
            printer.show(text)
        printer.finish(answer)
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("texts", "answer", "output"),
    [
        ([], "Truth is tested.", "Truth is tested.\n"),
        (["Truth", "Truth is"], "Truth is tested.", "Truth is tested.\n"),
        (["Truth is tested."], "Truth is tested.\n\n(Read: 5 %.)", "Truth is tested.\n\n(Read: 5 %.)\n"),
        (["Truth is", "Tr", "Truth is tested"], "Truth is tested.", "Truth is tested.\n"),
        (["Truth is", "Lies", "Lies are"], "Lies are told.", "Truth is\n\nLies are told.\n"),
        (["a\x1b[2J"], "a\x1b[2Jb", "a\ufffd[2Jb\n"),
    ],
)
def test_every_answer_is_printed_whole(
    texts: list[str], answer: str, output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Print each part of an answer once, and a text that does not continue it below it."""
    assert printed(texts, answer, capsys) == output


def test_a_lost_piece_stops_the_draft() -> None:
    """Leave out what follows a lost piece, and go on when the model begins again."""
    text = DraftText()
    pieces = [(0, "Truth "), (9, "tested"), (6, "is "), (0, "Tr")]
    added = [text.add(AnswerDraft(assignment_id=WORK, start=start, text=piece)) for start, piece in pieces]
    assert (added, text.text) == ([True, False, True, True], "Tr")
