"""Strength memory: policy, decay, sleep, retrieval, ranking and usage detection."""
