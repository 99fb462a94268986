"""Operations on the log and its projections: export, backup, erasure, rebuild, parking, re-embedding and history."""
