"""Tests of the entry of a session: one memory with what happened and what it teaches under each perspective."""

from uuid import UUID

import pytest

from nemuri_contracts.client_events import Scope
from nemuri_contracts.strength import Provenance, Relation
from nemuri_contracts.tasks import Detail
from nemuri_domain.language.request_sentences import is_request
from nemuri_domain.strength.memory_content import embedded_text
from nemuri_domain.tasks.session_entry import (
    QUESTION_CHARACTERS,
    Grounds,
    cited_documents,
    entry_content,
    merged_relations,
)
from tests.unit.domain.tasks.stories import answered, assigned, given, submitted, work

TAUGHT = {"cost": "Steel is dear in winter.", "supply": "Yamada delivers steel from one site."}
OLDER, OTHER = UUID(int=1), UUID(int=2)


def test_an_entry_has_the_models_account_and_a_learning_for_each_perspective() -> None:
    """An entry says what happened in the model's words, and has the learnings, their tags and the scope."""
    scope = Scope(level="project", name="bridge")

    entry = entry_content("Who is dear?", "Ann asked for\nthe price of steel.", TAUGHT, scope=scope)

    assert (entry.content, entry.learnings, entry.scope) == ("Ann asked for the price of steel.", TAUGHT, scope)
    assert {"steel", "yamada"} <= {tag.lower() for tag in entry.tags}
    assert embedded_text(entry) == "\n".join((entry.content, *TAUGHT.values()))


@pytest.mark.parametrize(
    ("question", "first"),
    [("What does steel cost?", "Asked: “What does steel cost?”"), ("鋼材の価格は？", "質問「鋼材の価格は？」")],
)
@pytest.mark.parametrize("happened", ["", "了解しました。"])
def test_without_an_account_the_question_and_the_learnings_say_what_happened(
    question: str, first: str, happened: str
) -> None:
    """Without a model's account the question is quoted, and what was learned from its answer. The question counts as
    one, so that it is never quoted as a statement.
    """
    entry = entry_content(question, happened, TAUGHT | {"habits": TAUGHT["cost"]}, scope=Scope())

    assert entry.content.split("\n\n") == [first, *TAUGHT.values()]
    assert embedded_text(entry) == entry.content
    assert is_request(first)


def test_a_long_question_is_shortened() -> None:
    """A long question takes no more than its share of an entry, and a cut is marked."""
    first = entry_content("steel " * 100, "", TAUGHT, scope=Scope()).content.splitlines()[0]

    assert len(first) == len("Asked: “”") + QUESTION_CHARACTERS
    assert first.endswith("…”")


def test_an_entry_has_one_relation_to_each_older_memory() -> None:
    """If learnings contradict several learnings of one memory, the relation is to the whole memory."""
    cost, supply = (Relation(older=OLDER, sort="contradicts", perspective=each) for each in ("cost", "supply"))
    other = Relation(older=OTHER, sort="supersedes", perspective="cost")

    assert merged_relations((cost, other, cost)) == (cost, other)
    assert merged_relations((cost, supply, other)) == (Relation(older=OLDER, sort="contradicts"), other)


@pytest.mark.parametrize(
    ("answer", "used", "provenance"),
    [
        ("It is dear [d1].", ("inferred",), "observed"),
        ("It is dear [m1].", ("inferred", "told"), "told"),
        ("It is dear [m1].", ("observed",), "told"),
        ("It is dear [m1].", ("inferred",), "inferred"),
        ("It is dear.", (), "inferred"),
    ],
)
def test_what_rests_on_nothing_given_is_inferred(
    answer: str, used: tuple[Provenance, ...], provenance: Provenance
) -> None:
    """A learning is observed if its answer cites a document, told if it rests on a memory that was not inferred, and
    inferred otherwise.
    """
    assert Grounds(answer, used, ("How dear is steel?",)).provenance(TAUGHT.values()) == provenance


def test_what_the_client_states_itself_is_told() -> None:
    """Learnings that repeat statements of the request are told. A question states nothing."""
    said = "Steel is dear in winter. Whom should we ask?"

    assert Grounds("Ask Yamada.", (), (said,)).provenance(["In winter, steel is dear."]) == "told"
    assert Grounds("Ask Yamada.", (), (said,)).provenance(TAUGHT.values()) == "inferred"
    assert Grounds("Yes.", (), ("Is steel dear in winter?",)).provenance(["Steel is dear in winter."]) == "inferred"


def test_an_entry_names_the_documents_that_its_answer_cites() -> None:
    """The cited documents are named, each once; a passage that is not cited names none."""
    passages = tuple(Detail(document=name, ref="r", start=0, end=1) for name in ("a.txt", "b.txt", "a.txt"))
    said = answered(1, "So [d3]. And [m1, d1].").model_copy(update={"details": passages})
    done = given(submitted(), assigned(1), said).state.assignments[work(1)]

    assert cited_documents(done) == ("a.txt",)
    assert cited_documents(done.replace(answer="So.")) == ()
