"""Attribution: it finds the memories that an answer used, extracts learnings, and credits clients' feedback to the used
memories.
"""
