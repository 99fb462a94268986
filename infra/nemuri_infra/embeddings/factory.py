"""Construction of the embedder from settings."""

from typing import Final

from nemuri_infra.embeddings.hashing import HashingEmbedder
from nemuri_infra.embeddings.openai import ESTIMATED, KNOWN_DIMENSIONS, OpenAIEmbedder
from nemuri_infra.embeddings.protocol import Embedder, Thresholds
from nemuri_infra.embeddings.sentence_transformer import CALIBRATED_THRESHOLDS, SentenceTransformerEmbedder
from nemuri_infra.embeddings.settings import EmbeddingSettings
from nemuri_infra.models.openai import OPENAI_URL
from nemuri_infra.models.retries import Retries
from nemuri_infra.models.settings import secret

SPECS: Final = "hashing, openai:MODEL or sentence-transformers:NAME_OR_PATH"


def build_embedder(settings: EmbeddingSettings) -> Embedder:
    """Return the embedder that the settings choose.

    Raises `ValueError`, with a message of one line, for an unknown embedder or an incomplete setting. A
    sentence-transformer is loaded here, which takes seconds; without its extra `ModuleNotFoundError` is raised.
    """
    kind, _, name = settings.spec.strip().partition(":")
    if kind == "hashing" and not name:
        return HashingEmbedder(settings.dimension or 1024)
    if kind == "openai" and name:
        return _openai(name, settings)
    if kind == "sentence-transformers" and name:
        return SentenceTransformerEmbedder(name, _thresholds(settings, CALIBRATED_THRESHOLDS))
    raise ValueError(f"unknown embedder {settings.spec!r}: use {SPECS}")


def _openai(name: str, settings: EmbeddingSettings) -> OpenAIEmbedder:
    dimension = settings.dimension or KNOWN_DIMENSIONS.get(name)
    if dimension is None:
        raise ValueError(f"the dimension of {name} is unknown: set it")
    key = secret(settings.openai_api_key)
    if not key and settings.openai_base_url is None:
        raise ValueError(f"openai:{name} needs openai_api_key, or the base URL of another server")
    return OpenAIEmbedder(
        api_key=key or "none",
        base_url=str(settings.openai_base_url or OPENAI_URL),
        name=name,
        dimension=dimension,
        timeout=settings.timeout,
        retries=Retries(attempts=settings.attempts, budget=settings.budget),
        thresholds=_thresholds(settings, ESTIMATED),
    )


def _thresholds(settings: EmbeddingSettings, default: Thresholds) -> Thresholds:
    relevance, use = settings.relevance_threshold, settings.use_threshold
    return Thresholds(
        relevance=default.relevance if relevance is None else relevance,
        use=default.use if use is None else use,
        recall=default.recall,
    )
