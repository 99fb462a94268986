"""The tables of words.

Word vectors in English and Japanese: `words.trie`, `vectors.npy`, `weights.npy` and `costs.npy`.

`bench/word_table` makes it. Sources: multilingual-e5-small as the teacher (MIT); words and their frequencies from
wordfreq (CC BY-SA 4.0); taught sentences from the Tanaka Corpus (CC BY 2.0 FR), Open English WordNet (CC BY 4.0),
JGLUE (CC BY-SA 4.0), Banking77 (CC BY 4.0) and `bench/word_pairs.jsonl`. No text of these sources is in the table. The
frequencies in `costs.npy` are under CC BY-SA 4.0.

How much a word tells in some thirty languages: `information.trie`, by `bench/word_information`, under CC BY-SA 4.0.
Sources: the table of word vectors; wordfreq (CC BY-SA 4.0); the Thai National Corpus's frequencies in PyThaiNLP (CC0
1.0) and its names of persons from the Thai Male and Female Names Corpus (CC BY-SA 4.0).
"""
