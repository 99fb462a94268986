"""An embedder that runs a sentence-transformer on this machine (the extra "local")."""

import asyncio
import hashlib
import importlib.util
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from nemuri_infra.embeddings.openai import safe_name
from nemuri_infra.embeddings.protocol import Thresholds, normalised

INSTALL_ADVICE: Final = "sentence-transformers is not installed: pip install 'nemuri[local]'"
CALIBRATED_THRESHOLDS: Final = Thresholds(relevance=0.15, use=0.65, recall=0.4)
_SMALL: Final = 1 << 20


class SentenceTransformerEmbedder:
    """An embedder with a sentence-transformer, chosen by its Hugging Face name or a path.

    It runs on the CPU in a thread, one batch at a time. The constructor imports torch and loads the model, which takes
    seconds and may download it. After that the embedder works offline. Raises `ModuleNotFoundError`, with the remedy in
    one line, if the extra is not installed. If the model comes from a path, its name contains a digest of its files, so
    two models in folders of the same name are not confused.

    The default thresholds are calibrated for all-MiniLM-L6-v2 by `bench/calibration.py`, on 400 questions about turns
    of conversations between two friends (LoCoMo), and 115 answers written by hand.

    - Relevance: with 0.15, recall@10 is .773. 98 % of the questions reach 0.29 with the turn that answers them, but
      with 0.29 recall@10 is .746, because other turns with the answer are left out.
    - Use: 0.65 tells used memories from others best. An answer of three sentences, one of them the memory, reaches it
      in 93 % of the cases, of nine other turns each in 16 %. In answers written by hand it finds 38 % of the used
      memories with a precision of .90.
    - Recall: with 0.4, four of five prompts about something else are shown no memory, with 0.3 half of them
      (`bench/assistant_memory.py`). A memory that shares the words of the prompt does not need it.

    Other models distribute their cosines differently: pass other thresholds for them.
    """

    stored: Final = True
    lexical: Final = False

    def __init__(self, name_or_path: str, thresholds: Thresholds = CALIBRATED_THRESHOLDS) -> None:
        if importlib.util.find_spec("sentence_transformers") is None:
            raise ModuleNotFoundError(INSTALL_ADVICE)
        from sentence_transformers import SentenceTransformer

        transformer: Any = SentenceTransformer(name_or_path, device="cpu")
        self._transformer = transformer
        self._one_at_a_time = threading.Lock()
        self.model: Final = _name(name_or_path)
        self.dimension: Final = int(transformer.get_embedding_dimension())
        self.relevance_threshold: Final = thresholds.relevance
        self.use_threshold: Final = thresholds.use
        self.recall_threshold: Final = thresholds.recall

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of the texts, shape (len(texts), dimension).

        A text is cut at the model's own limit, often 256 tokens. Blank texts get rows of zeros.
        """
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        places = [place for place, text in enumerate(texts) if text.strip()]
        if places:
            rows[places] = await asyncio.to_thread(self._encode, [texts[place] for place in places])
        return normalised(rows)

    def _encode(self, texts: list[str]) -> NDArray[np.float32]:
        with self._one_at_a_time:
            vectors = self._transformer.encode(texts, convert_to_numpy=True, show_progress_bar=False)
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
