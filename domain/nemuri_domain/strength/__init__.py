"""The mind of an agent: policy, clocks, strength, sleep, retrieval, ranking and usage."""
