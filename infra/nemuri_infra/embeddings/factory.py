"""Construction of the embedder from settings."""

from typing import Final

from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from nemuri_infra.embeddings.openai import OpenAIEmbedder, known_dimension
from nemuri_infra.embeddings.prompts import Prompts, prompts_of
from nemuri_infra.embeddings.protocol import Embedder
from nemuri_infra.embeddings.sentence_transformer import SentenceTransformerEmbedder
from nemuri_infra.embeddings.settings import EmbeddingSettings
from nemuri_infra.models.openai import OPENAI_URL
from nemuri_infra.models.provider import secret
from nemuri_infra.models.retries import Retries

SPECS: Final = "built-in, openai:MODEL or sentence-transformers:NAME_OR_PATH"


def build_embedder(settings: EmbeddingSettings) -> Embedder:
    """Return the embedder that the settings choose.

    Raises `ValueError`, with a message of one line, for an unknown embedder or an incomplete setting. A
    sentence-transformer is loaded here, which takes seconds; without its extra `ModuleNotFoundError` is raised.
    """
    kind, _, name = settings.spec.strip().partition(":")
    if kind == "built-in" and not name:
        return BuiltInEmbedder(settings.dimension)
    if kind == "openai" and name:
        return _openai(name, settings)
    if kind == "sentence-transformers" and name:
        return SentenceTransformerEmbedder(name)
    raise ValueError(f"unknown embedder {settings.spec!r}: use {SPECS}")


def _openai(name: str, settings: EmbeddingSettings) -> OpenAIEmbedder:
    dimension = settings.dimension or known_dimension(name)
    if dimension is None:
        raise ValueError(f"the dimension of {name} is unknown: set NEMURI_EMBEDDING_DIMENSION")
    key = secret(settings.openai_api_key)
    if not key and settings.openai_base_url is None:
        raise ValueError(f"openai:{name} needs OPENAI_API_KEY, or OPENAI_BASE_URL for another server")
    return OpenAIEmbedder(
        api_key=key or "none",
        base_url=str(settings.openai_base_url or OPENAI_URL),
        name=name,
        dimension=dimension,
        timeout=settings.timeout,
        retries=Retries(attempts=settings.attempts, budget=settings.budget),
        prompts=_prompts(name, settings),
    )


def _prompts(name: str, settings: EmbeddingSettings) -> Prompts:
    known, query, document = prompts_of(name), settings.query_prefix, settings.document_prefix
    return Prompts(known.query if query is None else query, known.document if document is None else document)
