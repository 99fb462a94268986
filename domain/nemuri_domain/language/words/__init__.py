"""The table of word vectors in English and Japanese: `words.trie`, `vectors.npy`, `weights.npy` and `costs.npy`."""
