"""An embedder that runs a sentence-transformer on this machine (the extra "local")."""

import asyncio
import hashlib
import importlib.util
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from nemuri_infra.embeddings.openai import safe_name
from nemuri_infra.embeddings.prompts import Prompts
from nemuri_infra.embeddings.unit_rows import normalised

INSTALL_ADVICE: Final = "sentence-transformers is not installed: pip install 'nemuri[local]'"
_SMALL: Final = 1 << 20


class SentenceTransformerEmbedder:
    """An embedder with a sentence-transformer, chosen by its Hugging Face name or a path.

    It runs on the CPU in a thread, one batch at a time. The constructor imports torch and loads the model, which takes
    seconds and may download it. After that the embedder works offline. Raises `ModuleNotFoundError`, with the remedy in
    one line, if the extra is not installed. If the model comes from a path, its name contains a digest of its files, so
    two models in folders of the same name are not confused.

    Queries and documents get the prompts that come with the model (`config_sentence_transformers.json`).
    """

    stored: Final = True
    calibration: Final = None

    def __init__(self, name_or_path: str) -> None:
        if importlib.util.find_spec("sentence_transformers") is None:
            raise ModuleNotFoundError(INSTALL_ADVICE)
        from sentence_transformers import SentenceTransformer

        transformer: Any = SentenceTransformer(name_or_path, device="cpu")
        self._transformer = transformer
        self._one_at_a_time = threading.Lock()
        prompts = _prompts(transformer)
        self.symmetric: Final = prompts.symmetric and not _has_router(transformer)
        self.model: Final = prompts.named(_name(name_or_path))
        self.dimension: Final = int(transformer.get_embedding_dimension())

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of documents, shape (len(texts), dimension).

        A text is cut at the model's own limit, often 256 tokens. Blank texts get rows of zeros.
        """
        return await self._rows(texts, self._transformer.encode_document)

    async def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of queries, shape (len(texts), dimension); see `embed_documents`."""
        return await self._rows(texts, self._transformer.encode_query)

    async def _rows(self, texts: Sequence[str], encode: Callable[..., Any]) -> NDArray[np.float32]:
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        places = [place for place, text in enumerate(texts) if text.strip()]
        if places:
            rows[places] = await asyncio.to_thread(self._encode, encode, [texts[place] for place in places])
        return normalised(rows)

    def _encode(self, encode: Callable[..., Any], texts: list[str]) -> NDArray[np.float32]:
        with self._one_at_a_time:
            vectors = encode(texts, convert_to_numpy=True, show_progress_bar=False)
        return np.asarray(vectors, dtype=np.float32)

    async def aclose(self) -> None:
        """Do nothing. The memory of the model is freed with this object."""


def _name(name_or_path: str) -> str:
    folder = Path(name_or_path)
    if not folder.is_dir():
        return safe_name(name_or_path)
    digest = hashlib.sha256()
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(f"{file.relative_to(folder).as_posix()}\0{file.stat().st_size}\0".encode())
        with file.open("rb") as content:
            digest.update(content.read(_SMALL))
    return safe_name(f"{folder.resolve().name}-{digest.hexdigest()[:12]}")


def _prompts(transformer: Any) -> Prompts:
    """Return the prompts in front of queries and documents, found as the library finds them."""
    known: dict[str, str] = transformer.prompts
    default = known.get(transformer.default_prompt_name or "", "")
    document = next((known[pair] for pair in ("document", "passage", "corpus") if pair in known), default)
    return Prompts(known.get("query", default), document)


def _has_router(transformer: Any) -> bool:
    """Return whether queries and documents pass different modules of the model."""
    return any(type(module).__name__ == "Router" for module in transformer.modules())
