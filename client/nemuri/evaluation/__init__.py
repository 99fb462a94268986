"""Evaluation: public benchmarks of memory through the platform, beside full context, BM25 over turns and no memory."""
