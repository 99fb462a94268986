"""The modules of an agent, one file each, apart from the controller (document 002 §1.3)."""
