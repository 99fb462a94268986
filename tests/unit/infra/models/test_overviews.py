"""Jobs about documents as a whole: the prompts and their replies, and what the extractive model does instead."""

from dataclasses import replace

from nemuri_infra.models.chat import ChatReply
from nemuri_infra.models.cited_texts import NoteText
from nemuri_infra.models.extractive import ExtractiveModel
from nemuri_infra.models.jobs.overview import OverviewJob
from nemuri_infra.models.jobs.overview_notes import NotesJob
from nemuri_infra.models.sources import Source

NOTES = NotesJob("Summarise this.", "summary", (Source("p1", "Steel is dear."), Source("p2", "Wood is cheap.")), 200)
JOB = OverviewJob(
    role="buyer", system_prompt="", perspective=None, question="Summarise this report.", kind="summary", basis="notes",
    memories=(Source("m1", "Be brief."),),
    parts=((Source("d1", "Steel costs 5.", origin="a.txt, p. 1"),), (Source("d2", "Wood costs 2."),)),
    documents=("a.txt", "b.txt"),
)  # fmt: skip


def test_each_line_of_a_reply_is_a_note_with_its_passages() -> None:
    """Lines are notes with the labels they name. Without known labels a note rests on all passages. Introductions,
    headings and the mark for nothing are no notes.
    """
    reply = "Here are the notes:\n## Notes\n- Steel costs 5 [p1].\n* Wood is cheap［p2、p1］\n3. Both rise [p9]\n-\n"
    assert NOTES.read(ChatReply(reply)) == (
        NoteText("Steel costs 5.", ("p1",)),
        NoteText("Wood is cheap", ("p2", "p1")),
        NoteText("Both rise", ("p1", "p2")),
    )
    assert NOTES.read(ChatReply("-")) == ()


def test_the_prompt_of_an_overview_says_what_was_not_read() -> None:
    """The prompt has the places of the sources, the kind of answer, and what was not read."""
    asked = JOB.chat_request()
    assert "Not everything was read" not in asked.user
    assert "notes that were taken on each part" in asked.user
    assert "Wanted: summary." in asked.user
    assert (
        asked.user.index("<m1 ") < asked.user.index("<d1 ") < asked.user.index("<d2 ") < asked.user.index("<question ")
    )
    assert "(From: a.txt, p. 1)" in asked.user
    partial = replace(JOB, kind="count", unread="a.txt, pp. 3-9").chat_request()
    assert "Not everything was read: a.txt, pp. 3-9." in partial.user
    assert "Wanted: count." in partial.user


async def test_extractive_notes_tell_how_many_matches_do_not_fit() -> None:
    """If not all matching sentences fit, the last note tells the number of the others, and the overview adds them."""
    text = " ".join(f"The boiler of plant {number} leaks." for number in range(50))
    job = NotesJob("List all boilers.", "list", (Source("p1", text),), 150)
    notes = (await ExtractiveModel().do(job)).value
    *quoted, more = notes
    assert more.text == f"({50 - len(quoted)} more matching sentences in this part)"
    part = tuple(Source(f"d{number}", each.text) for number, each in enumerate(notes, 1))
    answer = await ExtractiveModel().do(
        replace(JOB, question="List all boilers.", kind="list", parts=(part,), documents=("a",))
    )
    assert f"{len(quoted)} found." in answer.value.text
    assert f"({50 - len(quoted)} more are left out here.)" in answer.value.text
    assert len(answer.value.cited) == len(quoted)


async def test_an_extractive_comparison_quotes_each_side() -> None:
    """A comparison quotes what is said about each side that the question names, or else about each document."""
    named = replace(JOB, question="Compare steel and wood.", kind="comparison")
    text = (await ExtractiveModel().do(named)).value.text
    assert (
        text.index("steel:")
        < text.index("Steel costs 5. [d1]")
        < text.index("wood:")
        < text.index("Wood costs 2. [d2]")
    )
    unnamed = replace(JOB, question="Compare the two offers.", kind="comparison")
    text = (await ExtractiveModel().do(unnamed)).value.text
    assert text.index("a.txt:") < text.index("[d1]") < text.index("b.txt:") < text.index("[d2]")


async def test_an_extractive_overview_finds_nothing_honestly() -> None:
    """If nothing matches the subject, the overview says so and cites nothing."""
    answer = (await ExtractiveModel().do(replace(JOB, question="List all giraffes.", kind="list"))).value
    assert answer.text == "No sentence of the documents has the words of the question."
    assert answer.cited == ()
