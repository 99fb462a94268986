"""Make the table: words, vectors of the teacher, training, files."""

import argparse
from pathlib import Path

from bench.word_table import __doc__ as description
from bench.word_table.files import write
from bench.word_table.table_training import train
from bench.word_table.teacher import teacher_rows, training_texts
from bench.word_table.vocabulary import Vocabulary
from nemuri_domain.language import words


def main() -> None:
    """Read the options, and write the files of the table."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, default=Path(str(words.__file__)).parent)
    chosen = parser.parse_args()
    vocabulary = Vocabulary.of_wordfreq()
    texts = training_texts(chosen.folder, vocabulary)
    initial = teacher_rows(chosen.folder, "words", vocabulary.words, queries=True)
    rows = {text.name: teacher_rows(chosen.folder, text.name, text.texts, queries=text.queries) for text in texts}
    print(write(chosen.out, vocabulary, train(vocabulary, initial, texts, rows)))


if __name__ == "__main__":
    main()
