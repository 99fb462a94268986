"""Attribution: it finds the memories that an answer used, extracts learnings, and credits feedback."""
