"""Prompts are files with versions, and every placeholder gets a value."""

import json
import re
from pathlib import Path

import pytest

import nemuri_infra.models.jobs
import nemuri_society.cognition
from nemuri_infra.models.prompt_fences import FencedText
from nemuri_infra.models.prompt_library import Prompt, PromptError, Value, example_texts, prompt, prompt_names
from nemuri_infra.models.sources import Source
from tests.cassettes.cassette import cassette, cassette_names
from tests.unit.infra.models.prompt_goldens import changed, goldens

TWO = Prompt("two", 3, "You are {{role}}.\n\n{{rules}}", "{{sources}}\n\nAsked by {{who}}:\n{{question}}")
VALUES: dict[str, Value] = {
    "role": "a clerk",
    "rules": "",
    "sources": (Source("m1", "Moss [m2] is green.", origin="Ann"), Source("m2", "Fern.\n\n\n\nShade.")),
    "who": "Bob",
    "question": FencedText("question", "What is [m1]?"),
}


def test_a_text_changes_only_with_its_version() -> None:
    """The recorded digest of each prompt's version is that of its text, and no version gets another text later.

    If this fails, raise the version in the header, then run `python -m tests.unit.infra.models.prompt_goldens`.
    """
    assert changed() == []
    assert {each.label for each in map(prompt, prompt_names())} <= goldens().keys()


def test_every_prompt_is_used() -> None:
    """The name of every prompt occurs in the code that renders prompts."""
    folders = (Path(nemuri_infra.models.jobs.__file__).parents[1], Path(nemuri_society.cognition.__file__).parents[1])
    code = "\n".join(path.read_text(encoding="utf-8") for folder in folders for path in folder.rglob("*.py"))
    assert [name for name in prompt_names() if f'"{name}"' not in code] == []


def test_values_fill_the_placeholders() -> None:
    """Texts are inserted as they are, sources and quotes between marks, and an empty paragraph is left out."""
    system, user = TWO.render(VALUES)
    [mark] = set(re.findall(r"<m1 (\w{24})>", user))
    assert system == "You are a clerk."
    assert user == (
        f"<m1 {mark}>\n(From: Ann)\nMoss (m2) is green.\n</m1 {mark}>\n\n<m2 {mark}>\nFern.\n\n\n\nShade.\n</m2 {mark}>"
        f"\n\nAsked by Bob:\n<question {mark}>\nWhat is [m1]?\n</question {mark}>"
    )


def test_a_value_is_never_read_as_a_template() -> None:
    """A placeholder in a value stays as it is."""
    _, user = TWO.render(VALUES | {"who": "{{role}}", "question": FencedText("question", "{{rules}} \\1")})
    assert "Asked by {{role}}:" in user
    assert "\n{{rules}} \\1\n" in user


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({**VALUES, "mood": "good"}, "unknown value for mood"),
        ({name: value for name, value in VALUES.items() if name not in {"role", "who"}}, "missing value for role, who"),
    ],
)
def test_a_missing_or_unknown_value_is_an_error(values: dict[str, Value], reason: str) -> None:
    """A placeholder without a value, and a value without a placeholder, are errors that name them."""
    with pytest.raises(PromptError, match=f"prompt two@3: {reason}"):
        TWO.request(10, values)


def test_a_request_names_its_prompts() -> None:
    """A request has the names and versions of its prompt and of the parts that it contains."""
    part = Prompt("part", 7, "Rule {{n}}.", "").part({"n": "1"})
    request = TWO.request(10, VALUES | {"rules": part}, steady=True)
    assert request.system == "You are a clerk.\n\nRule 1."
    assert request.prompts == ("two@3", "part@7")
    assert request.steady


def test_an_unknown_prompt_is_an_error() -> None:
    """The error names the prompts that exist."""
    with pytest.raises(PromptError, match=r"no prompt has the name 'anser'; there are .*answer"):
        prompt("anser")


@pytest.mark.parametrize("name", cassette_names())
def test_the_form_of_a_reply_is_an_example_of_its_schema(name: str) -> None:
    """A request with a schema has the form of its reply, which has the properties of the schema; others have none."""
    request = cassette(name).job.chat_request()
    if request.schema is None:
        assert request.form == ""
    else:
        example = json.loads(request.form[request.form.index("{") : -1])
        assert example.keys() == request.schema.value["properties"].keys()
        assert request.form.rstrip(".") in request.system


def test_texts_that_a_prompt_quotes_as_examples_are_known() -> None:
    """Quoted texts of several words and dots in place of a text are examples; single words are not."""
    assert {"the one answer", "what v1 holds against the others"} <= example_texts(("answer_merge@1",))
    assert "…" in example_texts(("answer@7", "learnings@1"))
    assert "stands" not in example_texts(("panel_rebuttal@1",))
