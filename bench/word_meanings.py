"""Write the built-in table of the meanings of English words.

    python -m bench.word_meanings --model FOLDER

The folder has the sentence-transformer all-MiniLM-L6-v2 (Apache-2.0) with its vocabulary `vocab.txt`, whose words are
in the order of their frequency. The script embeds the most frequent words one by one, keeps the principal components,
and writes `infra/nemuri_infra/embeddings/word_meanings.npz`. Sizes were chosen by the accuracy of routing on the
utterances for tuning of `bench/routing.py` (mean of three splits, 0, 10 and 30 judged tasks): .690 without the table,
.756 with 20,000 words and 128 numbers, .743 with 10,000 words, .729 with 8,000 words and 96 numbers.
"""

import argparse
from pathlib import Path
from typing import Any, Final

import numpy as np

from nemuri_infra.embeddings import word_meanings
from nemuri_infra.embeddings.unit_rows import normalised

WORDS, DIMENSION = 20_000, 128
SHORTEST: Final = 2
"""Minimum number of letters of a word."""


def main() -> None:
    """Read the model, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True, metavar="FOLDER")
    folder: Path = parser.parse_args().model
    from sentence_transformers import SentenceTransformer

    model: Any = SentenceTransformer(str(folder), device="cpu")
    listed = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
    words = [each for each in listed if each.isascii() and each.isalpha() and len(each) >= SHORTEST][:WORDS]
    vectors = normalised(np.asarray(model.encode(words, batch_size=256), np.float32))
    centred = vectors - vectors.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    reduced = normalised((left[:, :DIMENSION] * sizes[:DIMENSION]).astype(np.float32))
    path = Path(word_meanings.__file__).with_name(word_meanings.FILE)
    stored = np.frombuffer("\n".join(words).encode(), np.uint8)
    np.savez_compressed(path, words=stored, levels=word_meanings.packed(reduced))
    print(f"{path}: {len(words)} words, {path.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
