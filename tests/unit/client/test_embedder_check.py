"""Tests of the choice of an embedder, and of the check that it is the one of the agents' vectors."""

from typing import Any

import pytest

from nemuri.platform.embedder_check import (
    EmbedderChanged,
    built_in_agents,
    compare_agents,
    compare_embeddings,
)
from nemuri_contracts.agents import Definition, Embedding
from nemuri_contracts.memory_views import AgentView
from nemuri_infra.runtime.settings import KEYED_EMBEDDER, Settings


def test_another_embedder_is_refused_by_name() -> None:
    """If another embedder is refused, the line names an agent, both embedders, and the command that changes the
    embedder.
    """
    old, new = Embedding(model="one", dimension=1024), Embedding(model="other", dimension=8)
    compare_embeddings({"cook": old}, old)
    with pytest.raises(EmbedderChanged, match=r"cook has vectors of one .* other \(8 numbers\).*nemuri reembed"):
        compare_embeddings({"cook": old}, new)
    with pytest.raises(EmbedderChanged, match="and 1 more have vectors of"):
        compare_embeddings({"cook": old, "baker": old}, new)


def test_agents_with_built_in_vectors_live_beside_a_model() -> None:
    """Agents from before a model was configured keep their built-in vectors, which every process can compute. Vectors
    of a model without that model are refused.
    """
    built_in, model = Embedding(model="nemuri-words-3", dimension=256), Embedding(model="other", dimension=8)
    views = [
        AgentView(
            agent_id=name, definition=Definition(role="cook", memory="tiered"), embedding=each, sessions_slept=0,
            active=0, archived=0,
        )
        for name, each in (("old", built_in), ("new", model))
    ]  # fmt: skip

    compare_embeddings({"old": built_in, "new": model}, model)
    assert built_in_agents(views, model) == ("old",)
    assert built_in_agents(views[:1], built_in) == ()
    with pytest.raises(EmbedderChanged, match="new has vectors of other"):
        compare_embeddings({"old": built_in, "new": model}, built_in)


@pytest.mark.parametrize(
    ("given", "spec"),
    [
        ({}, "built-in"),
        ({"openai_api_key": "sk-x"}, KEYED_EMBEDDER),
        ({"openai_api_key": ""}, "built-in"),
        ({"openai_api_key": "sk-x", "openai_base_url": "http://127.0.0.1:1"}, "built-in"),
        ({"openai_api_key": "sk-x", "embedder": "built-in"}, "built-in"),
        ({"embedder": "sentence-transformers:m"}, "sentence-transformers:m"),
    ],
)
def test_a_key_for_embeddings_chooses_them_for_new_agents(given: dict[str, Any], spec: str) -> None:
    """OpenAI's key chooses its embeddings, unless an embedder or another server is set."""
    settings = Settings.model_validate(given)

    assert (settings.embedder_spec, settings.embedding_settings().spec) == (spec, spec)


def test_agents_of_societies_may_have_another_embedder() -> None:
    """An agent kept by a society host does not prevent a new agent with another embedder. An agent of the platform
    does.
    """
    old, new = Embedding(model="nemuri-words-3", dimension=128), Embedding(model="nemuri-words-3", dimension=256)
    resident = Definition(role="resident", memory="tiered", kept_by="host")
    seen = AgentView(agent_id="ada", definition=resident, embedding=old, sessions_slept=0, active=0, archived=0)
    compare_agents([seen], new)
    with pytest.raises(EmbedderChanged, match="ada"):
        compare_agents([seen.model_copy(update={"definition": Definition(role="cook", memory="tiered")})], new)
