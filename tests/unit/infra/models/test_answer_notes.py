"""A reply of an answering model may be a question to the client, and an answer may end with signs of trouble."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import pytest

from nemuri_contracts.clarifications import Clarification, ClarificationRequest
from nemuri_contracts.event import Usage
from nemuri_contracts.trouble_signs import Sign
from nemuri_infra.models.chat import ChatReply
from nemuri_infra.models.cited_texts import Answer
from nemuri_infra.models.jobs import answer_notes
from nemuri_infra.models.jobs.answer import AnswerJob
from nemuri_infra.models.sources import Source

MEMORY = Source("m1", "The notice period is three months.")
DETAIL = Source("d1", "The notice period is six months.")
QUESTION = "What is the notice period?"
ASKED = {"question": "Which contract?", "assumption": "The newest one.", "options": ["Falcon", "Falcon", "", "Heron"]}


def job(**fields: object) -> AnswerJob:
    """Return a job with a memory and a detail."""
    return AnswerJob("lawyer", "", None, QUESTION, (MEMORY,), (DETAIL,), **fields)  # type: ignore[arg-type]


def reply(text: str) -> ChatReply:
    """Return a model's reply."""
    return ChatReply(text, truncated=False)


def test_a_model_may_ask_only_if_its_prompt_says_so() -> None:
    """The prompt explains questions only if the job allows one."""
    allowed, forbidden = job(may_ask=True).chat_request(), job().chat_request()
    assert '{"clarification": {"question"' in allowed.system
    assert "clarification" not in forbidden.system


def test_without_a_model_only_a_blank_is_asked_about() -> None:
    """A blank in the question is asked about if the job allows a question; otherwise the job answers."""
    blank = replace(job(may_ask=True), question="What is the notice period of [name]?")
    asked = blank.without_model()
    assert isinstance(asked, ClarificationRequest)
    assert asked.question == "The request has “[name]” in place of a word. What should stand there?"
    assert isinstance(replace(blank, may_ask=False).without_model(), Answer)
    assert isinstance(job(may_ask=True).without_model(), Answer)


def test_without_a_model_contradictions_are_signs() -> None:
    """A memory that contradicts the material is a sign, unless it is shown as outdated or as older already."""
    found = job().without_model()
    assert isinstance(found, Answer)
    assert [(sign.kind, sign.labels) for sign in found.signs] == [("memory_against_material", ("m1", "d1"))]
    for older in (replace(MEMORY, succeeded_by="m2"), replace(MEMORY, note="this held until June 2026")):
        quoted = replace(job(), memories=(older,)).without_model()
        assert isinstance(quoted, Answer)
        assert quoted.signs == ()


@pytest.mark.parametrize("fence", ["{}", "```json\n{}\n```", "\n {} \n"])
def test_a_reply_that_is_only_a_question_asks(fence: str) -> None:
    """The JSON object may be bare or in a code fence. Offered answers come once each, without empty ones."""
    said = fence.replace("{}", json.dumps({"clarification": ASKED}))
    expected = ClarificationRequest(
        question="Which contract?", assumption="The newest one.", options=("Falcon", "Heron")
    )
    assert job(may_ask=True).read(reply(said)) == expected


@pytest.mark.parametrize(
    "said",
    [
        "I would ask: " + json.dumps({"clarification": ASKED}),
        json.dumps({"clarification": {"question": "Which contract?"}}),
        json.dumps({"clarification": {"question": " ", "assumption": "The newest one."}}),
        json.dumps({"clarification": "Which contract?"}),
        '{"clarification": {"question": "Which',
        "{}",
    ],
)
def test_any_other_reply_is_an_answer(said: str) -> None:
    """Prose around the object, a question without an assumption and broken JSON are answers as they stand."""
    found = job(may_ask=True).read(reply(said))
    assert isinstance(found, Answer)
    assert found.text == said


def test_a_question_that_is_not_allowed_is_an_answer() -> None:
    """A model that asks although it may not has answered with these words."""
    assert isinstance(job().read(reply(json.dumps({"clarification": ASKED}))), Answer)


def test_the_last_line_of_an_answer_tells_signs() -> None:
    """The line is no part of the answer. Unknown kinds, empty texts and foreign labels are left out."""
    signs = [
        {"kind": "memory_against_material", "text": "Three against\n six.", "labels": ["m1", "d1", "d9", 7]},
        {"kind": "weather", "text": "It rains."},
        {"kind": "evidence_missing", "text": " "},
        "no object",
    ]
    said = f"Six months [d1].\n\n{json.dumps({'signs': signs})}"
    found = job().read(reply(said))
    assert isinstance(found, Answer)
    assert (found.text, found.cited) == ("Six months [d1].", ("d1",))
    assert found.signs == (Sign(kind="memory_against_material", text="Three against six.", labels=("m1", "d1")),)


def test_signs_that_cannot_be_read_are_left_out() -> None:
    """A broken line of signs is no part of the answer, and tells nothing."""
    found = job().read(reply('Six months [d1].\n{"signs": [{"kind": ]}'))
    assert isinstance(found, Answer)
    assert (found.text, found.signs) == ("Six months [d1].", ())


@pytest.mark.parametrize(
    ("said", "told", "left"),
    [("in winter", "The answer is at the end of the question", "assumption"), (None, "Nobody answered in time", None)],
)
def test_the_question_that_was_asked_is_shown_with_its_outcome(said: str | None, told: str, left: str | None) -> None:
    """After an answer the prompt shows the question; after its time is over it shows the assumption as well."""
    known = Clarification(
        asked_by=UUID(int=1),
        agent_id="lawyer",
        assignment_id=UUID(int=2),
        request=ClarificationRequest(question="Which contract is meant?", assumption="The newest one is meant."),
        until=datetime(2026, 1, 1, tzinfo=UTC),
        state="answered" if said else "expired",
        answer=said,
        usage=Usage(model="stand-in"),
    )
    user = job(asked=known).chat_request().user
    assert told in user
    assert known.request.question in user
    assert (known.request.assumption in user) == (left is None)


async def test_a_waiting_client_sees_no_json() -> None:
    """The draft of an answer ends before the line of signs, and a question is never a part of it."""
    for said, expected in (
        ('Six months [d1].\n\n{"signs": []}', "Six months [d1]."),
        (json.dumps({"clarification": ASKED}), ""),
    ):
        shown = ""

        async def show(start: int, piece: str) -> None:
            nonlocal shown
            shown = shown[:start] + piece

        forward = answer_notes.prose_only(show)
        for at in range(0, len(said), 3):
            await forward(at, said[at : at + 3])
        assert shown.rstrip() == expected
