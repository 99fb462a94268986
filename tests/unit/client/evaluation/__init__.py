"""Tests of evaluations: the formats of benchmarks, contexts, figures and reports."""
