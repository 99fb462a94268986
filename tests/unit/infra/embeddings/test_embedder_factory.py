"""Tests of the choice of the embedder by settings."""

import pytest
from pydantic import SecretStr

from nemuri_infra.embeddings.factory import build_embedder
from nemuri_infra.embeddings.openai import safe_name
from nemuri_infra.embeddings.settings import EmbeddingSettings


async def test_a_spec_names_an_embedder() -> None:
    """A specification selects an embedder. The default is built in, and models of OpenAI have their own dimensions."""
    assert build_embedder(EmbeddingSettings()).model == "nemuri-words-3"
    assert build_embedder(EmbeddingSettings(dimension=64)).dimension == 64
    large = build_embedder(EmbeddingSettings(spec="openai:text-embedding-3-large", openai_api_key=SecretStr("k")))
    assert (large.model, large.dimension, large.stored) == ("text-embedding-3-large", 3072, True)
    await large.aclose()


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("", "unknown embedder ''"),
        ("hash", "use built-in, openai:MODEL or sentence-transformers:NAME_OR_PATH"),
        ("built-in:x", "unknown embedder"),
        ("openai:", "unknown embedder"),
        ("openai:text-embedding-3-small", "needs OPENAI_API_KEY"),
        ("openai:unheard-of", "dimension of unheard-of is unknown: set NEMURI_EMBEDDING_DIMENSION"),
    ],
)
def test_a_wrong_spec_is_refused_in_one_line(spec: str, words: str) -> None:
    """A wrong specification is refused with one line that shows the valid forms."""
    with pytest.raises(ValueError, match=words) as caught:
        build_embedder(EmbeddingSettings(spec=spec))
    assert "\n" not in str(caught.value)


def test_names_are_made_safe_for_keys() -> None:
    """Names of models are made safe for keys: only letters, digits, dots, underscores and hyphens are kept."""
    assert safe_name("org/モデル v1.5_x") == "org-v1.5_x"
