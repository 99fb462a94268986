"""Tests of the form of extractive answers: what may be quoted, marks of older statements, and the nearest memory."""

from datetime import UTC, datetime

import pytest

from nemuri_contracts.tasks import Voice
from nemuri_infra.models.extractive import ExtractiveModel
from nemuri_infra.models.extractive_framing import NOTHING, substance
from nemuri_infra.models.jobs.answer import AnswerJob, answer_of
from nemuri_infra.models.jobs.answer_merge import MergeJob
from nemuri_infra.models.jobs.learnings import LearningsJob
from nemuri_infra.models.sources import Hit, Source

MODEL = ExtractiveModel()
RENT = Source("m2", "The rent is 1,290 pounds a month.", relevance=0.26)
MOVED = Source("m3", "We moved: we now live at 3 Harbour Lane in York.", relevance=0.30)
PRINCIPLE = Source("m1", "Promises first, habits second.")


async def answer(question: str, *memories: Source) -> str:
    """Return the text of the model's answer from these memories."""
    return answer_of((await MODEL.do(AnswerJob("x", "", None, question, memories, ()))).value).text


@pytest.mark.parametrize(
    ("question", "newer", "older", "quotes"),
    [
        (
            "Who is our dentist?",
            "Our dentist is Dr. Lindqvist.",
            "Dr. Patel is our dentist.",
            ["- Our dentist is Dr. Lindqvist. [m1]", "- (older) Dr. Patel is our dentist. [m2]"],
        ),
        (
            "営業部の部長は誰ですか？",
            "営業部の部長は中村さんです。",
            "営業部の部長は田中さんです。",
            ["- 営業部の部長は中村さんです。 [m1]", "- （以前の情報）営業部の部長は田中さんです。 [m2]"],
        ),
    ],
)
async def test_the_quote_of_an_older_statement_is_marked(
    question: str, newer: str, older: str, quotes: list[str]
) -> None:
    """The quote of a memory that is older than another about the same is marked. The mark is no part of what is
    learned from the answer.
    """
    text = await answer(question, Source("m1", newer), Source("m2", older, succeeded_by="m1"))

    assert text.splitlines()[1:] == quotes
    assert substance(text).splitlines() == [f"- {newer}", f"- {older}"]


async def test_a_newer_note_in_keywords_precedes_the_older_sentence() -> None:
    """The newer of two quotes about the same thing precedes the older one, even if it is no whole sentence."""
    newer, older = "練習日：木曜十九時、小学校の音楽室", "合唱の練習は火曜の夜、公民館で。"
    text = await answer("合唱の練習は何曜日だっけ？", Source("m1", newer), Source("m2", older, succeeded_by="m1"))

    assert text.splitlines()[1:] == [f"- {newer} [m1]", f"- （以前の情報）{older} [m2]"]


async def test_the_memory_that_was_retrieved_first_is_named_as_nearest() -> None:
    """The memory that was retrieved first is named as the nearest one, as `recall` shows it. A principle, which is not
    retrieved, is not named.
    """
    text = await answer("What does the flat cost us?", PRINCIPLE, RENT, MOVED)

    assert text.splitlines() == [NOTHING["en"], "Nearest to it in memory: The rent is 1,290 pounds a month."]


async def test_no_memory_is_named_if_none_is_near() -> None:
    """No memory is named if the relevance of all is low."""
    far = Source("m1", "The mill stands by the river.", relevance=0.16)

    assert await answer("When is the swimming pool open?", far) == NOTHING["en"]


async def test_what_is_only_nearest_is_no_statement_of_a_panel() -> None:
    """A memory that is only named as the nearest one is neither merged as a statement of a panel nor learned."""
    question = "What does the flat cost us?"
    text = await answer(question, RENT)
    voices = tuple(Voice(agent_id=name, perspective=None, answer=text) for name in ("a", "b"))

    merged = (await MODEL.do(MergeJob(question, voices))).value
    learned = (await MODEL.do(LearningsJob("x", question, text, ("cost",), ()))).value

    assert "Nearest to it" in text
    assert (merged.text, merged.dissent) == (NOTHING["en"], ())
    assert not learned.by_perspective


@pytest.mark.parametrize("lead", ["For example:", "例："])
async def test_a_line_that_only_announces_what_follows_is_not_quoted(lead: str) -> None:
    """A line of a document that only announces what follows is not quoted, even if the search found it first."""
    said = "Runs of whitespace count as one separator if sep is None."
    text = f"{lead}\n\n{said}"
    hits = (Hit(0, 0, len(lead), 1.0), Hit(0, len(lead) + 2, len(text), 0.8))
    job = AnswerJob("x", "", None, "How does split treat whitespace?", (), (Source("d1", text, hits=hits),))

    found = answer_of((await MODEL.do(job)).value)

    assert found.text.splitlines()[1:] == [f"- {said} [d1]"]


UNTIL = datetime(2026, 6, 4, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "newer", "older", "mark"),
    [
        ("Where does Ann live?", "Ann lives in Bergen.", "Ann lives in Oslo.", "(until 4 June 2026) "),
        (
            "アンはどこに住んでいますか。",
            "アンはベルゲンに住んでいます。",
            "アンはオスロに住んでいます。",
            "（2026年6月4日まで）",
        ),
    ],
)
async def test_the_present_leads_and_what_has_ended_says_until_when(
    question: str, newer: str, older: str, mark: str
) -> None:
    """What has ended is quoted after what holds, with the day until which it held. The mark is no part of it."""
    text = await answer(question, Source("m1", older, held_until=UNTIL), Source("m2", newer))
    assert text.splitlines()[1:] == [f"- {newer} [m2]", f"- {mark}{older} [m1]"]
    assert substance(text).splitlines() == [f"- {newer}", f"- {older}"]


@pytest.mark.parametrize(
    ("present", "past", "newer", "older"),
    [
        ("Where does Ann live?", "Where did Ann live before?", "Ann lives in Bergen.", "Ann lives in Oslo."),
        (
            "アンはどこに住んでいますか。",
            "アンは以前どこに住んでいましたか。",
            "アンはベルゲンに住んでいます。",
            "アンはオスロに住んでいます。",
        ),
    ],
)
async def test_what_is_outdated_is_quoted_only_for_the_past(present: str, past: str, newer: str, older: str) -> None:
    """A memory that another one outdates is quoted if the question is about the past, and not about the present."""
    outdated = Source("m2", older, note="this held until 4 June 2026", succeeded_by="m1", held_until=UNTIL)
    assert older not in await answer(present, Source("m1", newer), outdated)
    told = await answer(past, Source("m1", newer), outdated)
    assert older in told
    assert "2026" in told
