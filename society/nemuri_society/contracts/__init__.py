"""The messages between hosts and worlds, the definition of a society, and the subjects of both."""
