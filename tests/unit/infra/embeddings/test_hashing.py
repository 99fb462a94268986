"""Tests of the hashing embedder."""

import os
import subprocess
import sys
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from nemuri_infra.embeddings.hashing import HashingEmbedder
from nemuri_infra.embeddings.protocol import Embedder

EMBEDDER: Embedder = HashingEmbedder()
THRESHOLDS = HashingEmbedder.calibration.thresholds()
MIXED = "眠りは記憶を整理する。Sleep consolidates memories; ｽﾘｰﾌﾟ 3.14 naïve 🌙"
FIRST_RELEASE = 4175850266
"""Fingerprint of the vectors of `MIXED`, as the first release computed them."""


async def cosines(one: str, *others: str) -> NDArray[np.float32]:
    """Return the cosine similarity of the first text with each of the others."""
    rows = await EMBEDDER.embed_documents([one, *others])
    products: NDArray[np.float32] = rows[1:] @ rows[0]
    return products


def fingerprint(rows: NDArray[np.float32]) -> int:
    """Return a checksum of the positions and signs of the non-zero components."""
    return zlib.crc32(np.sign(rows).astype(np.int8).tobytes())


@given(st.lists(st.text(max_size=80), max_size=4))
async def test_vectors_have_length_one_or_zero(texts: list[str]) -> None:
    """Every vector has length one or zero, and does not depend on the other texts in the call."""
    rows = await EMBEDDER.embed_documents(texts)
    assert rows.shape == (len(texts), EMBEDDER.dimension)
    assert rows.dtype == np.float32
    for text, row in zip(texts, rows, strict=True):
        assert np.linalg.norm(row) == pytest.approx(1, abs=1e-5) or not row.any()
        assert np.array_equal((await EMBEDDER.embed_documents([text]))[0], row)


async def test_only_a_text_without_content_has_a_zero_vector() -> None:
    """Only a text without content has a zero vector.

    Stop words are content if there is nothing else. A single grammatical kana is not.
    """
    rows = await EMBEDDER.embed_documents(["", " \n", "。！…🌙", "は", "who is it", "猫", "a"])
    assert rows.any(axis=1).tolist() == [False, False, False, False, True, True, True]


async def test_a_large_batch_gives_the_same_vectors() -> None:
    """A large batch, which is computed in a thread, gives the same vectors as single texts."""
    rows = await EMBEDDER.embed_documents([MIXED] * 100)
    assert np.array_equal(rows, np.repeat(await EMBEDDER.embed_documents([MIXED]), 100, axis=0))


async def test_the_vectors_never_change() -> None:
    """Each release computes the vectors of the first release, because vectors are not stored."""
    assert fingerprint(await EMBEDDER.embed_documents([MIXED])) == FIRST_RELEASE


@pytest.mark.parametrize("seed", ["0", "7"])
def test_vectors_are_equal_in_every_process(seed: str) -> None:
    """The vectors do not depend on Python's hash seed of the process."""
    code = (
        "import asyncio\nfrom tests.unit.infra.embeddings.test_hashing import EMBEDDER, MIXED, fingerprint\n"
        "print(fingerprint(asyncio.run(EMBEDDER.embed_documents([MIXED]))))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": "."}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True)
    assert int(run.stdout) == FIRST_RELEASE


async def test_texts_in_similar_spelling_are_near() -> None:
    """Texts that differ only in word forms, case, width or compatibility characters are near, in English and
    Japanese.
    """
    same, form, other = await cosines(
        "Resetting databases", "RESETTING ＤＡＴＡＢＡＳＥＳ", "the database was reset", "a walk"
    )
    assert same == pytest.approx(1, abs=1e-5)
    assert form > THRESHOLDS.use > THRESHOLDS.relevance > other
    near, far = await cosines("記憶の整理", "眠りは記憶を整理します。", "猫は散歩が好きです。")
    assert near > 0.25
    assert far < THRESHOLDS.relevance


async def test_particles_and_stop_words_do_not_make_texts_similar() -> None:
    """Texts that share only particles or stop words are not similar."""
    [japanese] = await cosines("それは東京のことでした", "それは化学のことでした")
    [english] = await cosines("what is the cost of it", "what is the name of it")
    assert japanese < THRESHOLDS.use
    assert english < THRESHOLDS.relevance


def test_vectors_are_not_stored_and_the_name_is_safe() -> None:
    """The embedder states that its vectors are not stored. Its name can be part of a key."""
    assert (EMBEDDER.model, EMBEDDER.dimension, EMBEDDER.stored) == ("hashing-v1", 1024, False)
    with pytest.raises(ValueError, match="at least 1"):
        HashingEmbedder(0)
