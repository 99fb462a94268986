"""Selection of document passages for an answer, and the extractive model's quotes and learnings from them."""

from pathlib import Path

import pytest

from nemuri_contracts.tasks import Detail, DetailPoint
from nemuri_domain.language.chunks import split_into_chunks
from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from nemuri_infra.embeddings.calibrated import CalibratedEmbedder
from nemuri_infra.models.extractive import ExtractiveModel
from nemuri_infra.models.jobs.answer import AnswerJob, answer_of
from nemuri_infra.models.jobs.learnings import LearningsJob
from nemuri_infra.stores.blobs import Blobs, text_cache
from nemuri_services.specialist.passage_index import PassageIndexes
from nemuri_services.specialist.passage_search import Wanted
from nemuri_services.specialist.passage_selection import READ_CHARACTERS, DocumentPassage, PassageReader

README = Path(__file__).parents[3] / "README.md"
ROUTES = "Which service routes a task?"


class Held(Blobs):
    """A blob store in memory that counts its reads."""

    def __init__(self, **texts: str) -> None:
        object.__setattr__(self, "recent", text_cache())
        object.__setattr__(self, "asked", [])
        for ref, text in texts.items():
            self.recent.keep(ref, text)

    asked: list[str]

    async def get(self, ref: str) -> str:
        """Return the text and count the read."""
        self.asked.append(ref)
        found = self.recent.get(ref)
        assert found is not None
        return found


def details(ref: str, text: str) -> tuple[DetailPoint, ...]:
    """Return the chunks of a text."""
    return tuple(
        DetailPoint(detail=Detail(document="d", ref=ref, start=span.start, end=span.end), point=None)
        for span in split_into_chunks(text)
    )


async def found(question: str, text: str, *remembered: str) -> tuple[DocumentPassage, ...]:
    """Return the passages of a text that are selected for a question. `remembered` are texts of memories."""
    wanted = Wanted(question, remembered=remembered)
    return await PassageReader().passages(
        wanted, details("a", text), Held(a=text), CalibratedEmbedder.of(BuiltInEmbedder())
    )


FILLER = "A value is true unless its class says otherwise. " * 40


async def test_a_sentence_anywhere_is_found_by_its_words() -> None:
    """A sentence at any position is found by its words, even if no key point mentions it. The passage states its
    position.
    """
    text = "\n\n".join([*[FILLER] * 200, "The boiler was built by Ann.", *[FILLER] * 200])
    first, *others = await found("Who built the boiler?", text)
    assert "The boiler was built by Ann." in first.text
    assert text[first.detail.start : first.detail.end] == first.text
    read = sum(len(each.text) for each in (first, *others))
    assert READ_CHARACTERS <= read < 1.2 * READ_CHARACTERS


async def test_a_short_document_is_returned_whole() -> None:
    """All passages of a short document are returned. They are in document order if none shares a word with the
    question.
    """
    text = "\n\n".join(f"{number}. " + FILLER[:1_000] for number in range(4))
    got = await found("Who built the boiler?", text)
    assert "".join(each.text for each in got) == text


async def test_the_index_is_built_once_for_all_answers_to_a_task() -> None:
    """The index of a task's documents is built once: each document is read once for all answers to the task."""
    text = FILLER * 30
    blobs, indexes, chunks = (
        Held(a=text),
        PassageIndexes(),
        tuple(detail.detail for detail in details("a", FILLER * 30)),
    )
    assert await indexes.of(chunks, blobs) is await indexes.of(chunks, blobs)
    assert blobs.asked == ["a"]


async def answered(question: str, text: str) -> tuple[list[str], dict[str, str]]:
    """Return the quotes from a document for a question, without labels, and the learnings from them."""
    sources = tuple(each.source(f"d{number}") for number, each in enumerate(await found(question, text), 1))
    model = ExtractiveModel()
    said = answer_of((await model.do(AnswerJob("expert", "", None, question, (), sources))).value).text
    quotes = [line.rpartition(" [")[0] for line in said.splitlines()[1:]]
    learned = await model.do(LearningsJob("expert", question, said, ("semantics", "service and task"), ()))
    return quotes, dict(learned.value.by_perspective)


async def test_the_readme_answers_a_question_about_the_orchestrator() -> None:
    """The quote from the README names the service that routes tasks and no other service, and nothing wrong is
    learned.
    """
    quotes, learned = await answered(ROUTES, README.read_text())
    assert "services/orchestrator/ routes by the summary alone" in quotes[0]
    assert not [quote for quote in quotes if "attribution" in quote or "intake" in quote]
    assert ["orchestrator" in each for each in learned.values()] == [True]


TREE = """\
# The shop

One service answers, and `services/stock/app.py` reacts to `task_answered`.

```
shop/
  services/    each service consumes the log
    stock/       counts what a task took
    clerk/       routes each task to who knows
  tasks/       the life of a task
```
"""
TABLE = """\
# The shop

`services/stock/app.py` reacts to `task_answered`.

| service | what it does |
|---|---|
| stock | counts what a task took |
| clerk | routes each task to who knows |
"""
CODE = """\
# The shop

The clerk routes each task to who knows.

```python
service = Service("stock")  # service of tasks

@service.handler(TaskRouted)
async def route_task(event: TaskRouted, service: Service) -> Task:
    return service.task_route(event.task, service)
```
"""


@pytest.mark.parametrize("document", [TREE, TABLE, CODE], ids=["tree", "table", "code"])
async def test_the_line_that_answers_is_quoted_first(document: str) -> None:
    """The sentence that answers the question is quoted first, at any position in the document."""
    quotes, learned = await answered(ROUTES, document)
    assert "clerk" in quotes[0]
    assert "routes each task to who knows" in quotes[0]
    assert any("clerk" in each for each in learned.values())


async def test_weak_quotes_are_not_learned() -> None:
    """Names of code, and sentences that share only one of many words with the question, are not learned."""
    text = "`services/stock/app.py`, `count`, reacts to `task_answered`. Each service scales on its own."
    quotes, learned = await answered(ROUTES, text)
    assert quotes
    assert learned == {}
