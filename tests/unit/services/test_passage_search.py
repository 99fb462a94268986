"""Search of documents for a question: by words and vectors, by neighbours, by memories, and in a second look."""

import pytest

from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from nemuri_infra.embeddings.calibrated import CalibratedEmbedder
from nemuri_infra.models.extractive import ExtractiveModel
from nemuri_infra.models.jobs.answer import AnswerJob, answer_of
from nemuri_services.specialist.open_parts import open_parts
from nemuri_services.specialist.passage_index import PassageIndex
from nemuri_services.specialist.passage_search import Wanted
from nemuri_services.specialist.passage_selection import READ_CHARACTERS, DocumentPassage, PassageReader
from tests.unit.services.test_passage_index import Held, details

FILLER = [
    f"Entry {number}: the weather was fair, and nothing of note was seen on tour {number}." for number in range(900)
]


async def found(question: str, text: str, *remembered: str) -> tuple[DocumentPassage, ...]:
    """Return the passages of a text for a question and memories."""
    wanted = Wanted(question, remembered=remembered)
    return await PassageReader().passages(
        wanted, details("a", text), Held(a=text), CalibratedEmbedder.of(BuiltInEmbedder())
    )


async def quoted(question: str, passages: tuple[DocumentPassage, ...]) -> list[str]:
    """Return the quotes of the extractive model, best first."""
    sources = tuple(each.source(f"d{number}") for number, each in enumerate(passages, 1))
    reply = await ExtractiveModel().do(AnswerJob("clerk", "", None, question, (), sources))
    return [line.removeprefix("- ").rpartition(" [")[0] for line in answer_of(reply.value).text.splitlines()[1:]]


def beside(*lines: str, before: int = 700) -> str:
    """Return a long document with these lines after `before` other paragraphs."""
    return "\n\n".join([*FILLER[:before], *lines, *FILLER[before:]])


async def test_a_turn_without_a_word_of_the_question_is_found_beside_one_that_has_it() -> None:
    """A turn is quoted whole because its neighbour has the words of the question."""
    talk = [f"{name}: We talked about the garden, the weather and the neighbours." for name in ("Ann", "Bob")] * 300
    talk[400:402] = ["Ann: When was the bakery opened?", "Bob: Two springs ago, after the flood."]
    passages = await found("When was the bakery opened?", "\n".join(talk))
    assert "Bob: Two springs ago, after the flood." in passages[0].text
    assert "Bob: Two springs ago, after the flood." in (await quoted("When was the bakery opened?", passages))[:3]


async def test_a_row_of_a_large_table_is_read_and_quoted_with_its_heads() -> None:
    """The row that answers is found among thousands. The passage has the head row, the quote the heads of the cells."""
    rows = [f"| P{number} | {number % 7} bar | {1900 + number % 100} |" for number in range(3_000)]
    text = "\n".join(["# Pumps", "", "| pump | pressure | built |", "|---|---|---|", *rows])
    passages = await found("What is the pressure of pump P2345?", text)
    assert "| P2345 | 0 bar | 1945 |" in passages[0].text
    assert passages[0].introduction == "| pump | pressure | built |"
    assert passages[0].detail.section == "Pumps"
    assert (await quoted("What is the pressure of pump P2345?", passages))[
        0
    ] == "pump: P2345; pressure: 0 bar; built: 1945"


async def test_a_leaf_of_a_nested_list_is_quoted_with_the_items_above_it() -> None:
    """Only the items above a leaf say which pump it is about."""
    listed = [
        line
        for name in ("Alder", "Birch", "Cedar", "Hazel")
        for line in (f"- Pump {name}", "  - Pressure", f"    - limit of {len(name)} bar", "  - Flow", "    - 2 l/s")
    ]
    passages = await found("What is the limit of pump Hazel?", beside("The pumps:", "\n".join(listed)))
    first = (await quoted("What is the limit of pump Hazel?", passages))[0]
    assert first == "The pumps: › Pump Hazel › Pressure › limit of 5 bar"


async def test_a_memory_leads_to_words_that_the_question_does_not_have() -> None:
    """A memory about the subject of the question opens the passage that answers it."""
    text = beside("The KX-90 needs bearing 6203.", "The KX-80 needs bearing 6201.")
    question = "Which part must be ordered for the machine of the mill?"
    remembered = "The machine of the mill is a KX-90."
    assert "bearing 6203" not in "".join(each.text for each in await found(question, text))
    assert "bearing 6203" in (await found(question, text, remembered))[0].text


async def test_a_second_look_searches_for_what_the_first_left_open() -> None:
    """A part of the question is found although other parts of it fill the first look."""
    crowd = [
        f"The turbine of Larch was overhauled with turbine oil and turbine blades in round {n}." for n in range(300)
    ]
    text = beside(*crowd, "A winch broke once.", before=10)
    passages = await found("What happened to the turbine of Larch, turbine oil, turbine blades and the winch?", text)
    assert any("A winch broke once." in passage.text for passage in passages)
    assert sum(len(passage.text) for passage in passages) < 1.2 * READ_CHARACTERS


def test_only_telling_words_that_occur_in_the_documents_are_open() -> None:
    """Words that were seen, that occur nowhere or that most units have, leave nothing open."""
    text = beside("The turbine was overhauled.", "A winch broke.")
    index = PassageIndex.of([detail.detail for detail in details("a", text)], [text])
    asked = "What happened to the turbine, the winch, the unicorn and the weather?"
    assert open_parts(asked, "The turbine was overhauled.", index.postings) == ("winch",)
    assert open_parts(asked, text, index.postings) == ()


@pytest.mark.parametrize("place", [0.05, 0.5, 0.95])
async def test_a_passage_names_document_page_and_section(place: float) -> None:
    """A passage at any place of a document has its own page and section, not those of its chunk."""
    pages = [f"## Chapter {number}\n\n{FILLER[number]}" for number in range(200)]
    number = int(place * len(pages))
    pages[number] += "\n\nThe boiler was built by Ann."
    first, *_ = await found("Who built the boiler?", "\f".join(pages))
    assert first.detail.pages == (number + 1, number + 1)
    assert first.detail.section == f"Chapter {number}"
    assert first.source("d1").origin == f'd, p. {number + 1}, "Chapter {number}"'


async def test_the_requests_of_a_list_share_the_passages() -> None:
    """Each of many requests gets its passage, also if the passages of one would fill the prompt."""
    names = [f"Pump{number}" for number in range(20)]
    text = "\n\n".join(f"{name} was built by maker {number} of the {name} works." for number, name in enumerate(names))
    text += "\n\n" + "\n\n".join(f"Pump0 ran on day {number} and Pump0 was oiled." for number in range(1_000))
    question = "\n".join(f"{number}. Who built {name}?" for number, name in enumerate(names, 1))
    read = "".join(each.text for each in await found(question, text))
    assert all(f"by maker {number} of" in read for number in range(20))
