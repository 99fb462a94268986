"""Tests of restating requests with their context and of merging answers, by rules and by a language model."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_contracts.tasks import Dissent, Voice
from nemuri_domain.tasks.conversation_history import EarlierTurn
from nemuri_domain.tasks.panel import side_by_side
from nemuri_infra.models.chat import ChatReply
from nemuri_infra.models.extractive import ExtractiveModel
from nemuri_infra.models.jobs.answer import AnswerJob, answer_of
from nemuri_infra.models.jobs.answer_merge import Merged, MergeJob
from nemuri_infra.models.jobs.restatement import RestateJob
from nemuri_infra.models.prompted import PromptedModel
from nemuri_infra.models.protocol import UnreadableReplyError
from nemuri_infra.models.sources import Source
from tests.unit.infra.models.test_prompted import Absent, Parrot

MODEL = ExtractiveModel()
TURNS = (EarlierTurn("What does moss need?", "Water [m1]."), EarlierTurn("What does a fern need?", "Shade."))
VOICES = (
    Voice(agent_id="ann", perspective="cost", answer="It costs 5 euro."),
    Voice(agent_id="bob", perspective="time", answer="It costs 7 euro."),
)
MERGED = "Merged without a language model, by comparing what the members of the panel quote:"
LABELLED = {"v1": VOICES[0], "v2": VOICES[1]}


async def test_the_extractive_model_adds_the_topic_to_a_reference() -> None:
    """To a request that refers to an earlier turn, the extractive model adds the topic of the newest question, at no
    cost.
    """
    reply = await MODEL.do(RestateJob(TURNS, "How much of it?"))

    assert reply.value == "About fern: How much of it?"
    assert reply.usage.model == "extractive"
    assert (await MODEL.do(RestateJob(TURNS, "What does a cactus need?"))).value == "What does a cactus need?"


async def test_the_prompt_has_the_turns_and_the_request() -> None:
    """The prompt has the earlier turns and the request, without labels of sources.

    The reply is used as it is; a blank reply counts as none.
    """
    chat = Parrot(" How much shade does a fern need?\n")

    reply = await PromptedModel(chat).do(RestateJob(TURNS, "How much of it?"))

    assert reply.value == "How much shade does a fern need?"
    assert reply.usage.input_tokens == 3
    [(_, heard)] = chat.heard
    texts = ["What does moss need?", "Water.", "What does a fern need?", "Shade.", "How much of it?"]
    assert [heard.index(text) for text in texts] == sorted(heard.index(text) for text in texts)
    assert (await PromptedModel(Parrot(" \n")).do(RestateJob(TURNS, "And it?"))).value == "And it?"


async def test_prefaces_are_left_out_of_a_merged_answer() -> None:
    """Prefaces of answers, such as the note that no language model is connected, do not count as agreement."""
    answers = [
        answer_of((await MODEL.do(AnswerJob("x", "", None, question, (Source("m1", memory),), ()))).value)
        for question, memory in (
            ("What does the lamp cost?", "The lamp costs 5 euro."),
            ("What does the lamp cost?", "The lamp costs 5 euro."),
            ("What does the lamp cost?", "A table is made of wood."),
        )
    ]
    voices = tuple(
        Voice(agent_id=name, perspective=None, answer=each.text) for name, each in zip("abc", answers, strict=True)
    )

    agreed = (await MODEL.do(MergeJob("What does the lamp cost?", voices))).value
    nothing = (await MODEL.do(MergeJob("What does the lamp cost?", voices[2:]))).value

    assert agreed.text.splitlines() == [MERGED, "- The lamp costs 5 euro. (a, b)"]
    assert agreed.dissent == ()
    assert (nothing.text, nothing.dissent) == (voices[2].answer, ())


async def test_a_panel_without_findings_says_so_once() -> None:
    """A panel without findings says so once. The titles of its parts do not count as statements."""
    part = answer_of((await MODEL.do(AnswerJob("x", "", None, "1. 価格は？\n2. 納期は？", (), ()))).value).text
    voice = Voice(agent_id="a", perspective=None, answer=f"## batch 1 of 2\n\n{part}\n\n## batch 2 of 2\n\n{part}")

    assert (await MODEL.do(MergeJob("1. 価格は？\n2. 納期は？", (voice, voice)))).value == Merged(part, ())


async def test_a_panel_that_contradicts_itself_has_no_agreement() -> None:
    """A panel that contradicts itself says in the language of the question that it does not agree, and every answer is
    a dissent.
    """
    merged = (await MODEL.do(MergeJob("What does it cost?", VOICES))).value

    assert merged.text.splitlines()[0] == MERGED
    assert merged.text.splitlines()[1].startswith("The panel agrees on nothing")
    assert [dissent.agent_id for dissent in merged.dissent] == ["ann", "bob"]
    assert "一致せず" in (await MODEL.do(MergeJob("いくらですか？", VOICES))).value.text


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("How much water does moss need in winter?", "How much water does moss need in winter?"),
        ("The request is to ask about the amount. The request is a continuation.", "And in winter?"),
        ("Moss needs water.", "And in winter?"),
        ("", "And in winter?"),
    ],
)
async def test_a_restatement_has_the_terms_of_the_request_and_the_turns(said: str, value: str) -> None:
    """A reply that leaves out what was asked or brings in something else is no restatement: the request stays."""
    job = RestateJob((EarlierTurn("How much water does moss need?", "A litre [m1]."),), "And in winter?")
    assert (await PromptedModel(Parrot(said)).do(job)).value == value


async def test_a_language_model_merges_the_answers() -> None:
    """A language model merges the answers. Two answers of one agent have different labels."""
    chat = Parrot('{"merged": "5 or 7 euro [m1].", "dissent": {"v2": "It is 7."}}')

    reply = await PromptedModel(chat).do(MergeJob("What does it cost?", VOICES))

    assert reply.value == Merged("5 or 7 euro.", (Dissent(agent_id="bob", perspective="time", text="It is 7."),))
    [(_, heard)] = chat.heard
    assert all(each in heard for each in ("What does it cost?", "It costs 5 euro.", "It costs 7 euro.", "<v1 ", "<v2 "))


async def test_an_unreadable_merge_shows_the_answers_side_by_side() -> None:
    """If the merge cannot be read, all answers are shown completely, side by side."""
    reply = await PromptedModel(Parrot("I would say 6.")).do(MergeJob("?", VOICES))

    assert reply.value == Merged("### ann · cost\n\nIt costs 5 euro.\n\n### bob · time\n\nIt costs 7 euro.", ())


@pytest.mark.parametrize(
    "text",
    [
        '{"merged": "So.", "dissent": {"v2": "No."}}',
        '```json\n{"dissent": {"V2": "No.", "v1": "none", "v9": "?"}, "merged": " So. [m2] "}\n```',
        'Sure {here}: {"merged": "So.", "dissent": [{"voice": "v2", "text": "No."}, {"voice": 3}, 4]} Bye {',
        '{"answer": {"merged": "So.", "dissent": {"v2": "No."}}}',
    ],
)
def test_any_usual_form_of_a_merged_answer_is_read(text: str) -> None:
    """Every usual form of a merged answer is read: JSON alone, fenced, within prose or nested. Dissent may be an object
    or a list.
    """
    assert MergeJob("?", VOICES).read(ChatReply(text)) == Merged(
        "So.", (Dissent(agent_id="bob", perspective="time", text="No."),)
    )


def test_line_breaks_in_a_json_string_are_accepted() -> None:
    """Line breaks in a JSON string are accepted. JSON forbids them, but models write them."""
    assert MergeJob("?", VOICES).read(ChatReply('{"merged": "One.\nTwo."}')) == Merged("One.\nTwo.", ())


@pytest.mark.parametrize("text", ["", "[" * 10_000, "{" * 1_000, '{"merged": 3}', '{"merged": " "}', '{"dissent": {}}'])
def test_an_unreadable_reply_is_no_merged_answer(text: str) -> None:
    """An unreadable reply leaves the answers side by side."""
    job = MergeJob("?", VOICES)
    with pytest.raises(UnreadableReplyError):
        job.read(ChatReply(text))
    assert job.if_unread() == Merged(side_by_side(VOICES), ())


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=60), min_size=1, max_size=4))
async def test_merging_is_deterministic(texts: list[str]) -> None:
    """Merging the same texts twice gives the same answer. It is never empty, and only given answers are a dissent."""
    voices = tuple(Voice(agent_id=f"a{n}", perspective=None, answer=text) for n, text in enumerate(texts))

    first = (await MODEL.do(MergeJob("Why?", voices))).value

    assert first == (await MODEL.do(MergeJob("Why?", voices))).value
    assert first.text
    assert {dissent.agent_id for dissent in first.dissent} <= {voice.agent_id for voice in voices}


async def test_the_second_model_takes_over_these_jobs() -> None:
    """If the chat fails, the extractive model restates and merges."""
    both = PromptedModel(Absent(""), falls_back=True)

    assert (await both.do(RestateJob(TURNS, "How much of it?"))).value == "About fern: How much of it?"
    assert [dissent.agent_id for dissent in (await both.do(MergeJob("?", VOICES))).value.dissent] == ["ann", "bob"]
