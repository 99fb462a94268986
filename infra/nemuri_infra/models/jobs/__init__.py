"""The jobs of a language model: for each, the request that is sent, and the reader of the reply."""
