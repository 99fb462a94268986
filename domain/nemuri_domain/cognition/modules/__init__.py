"""The modules of an agent, one file each, except the controller (document 002 §1.3)."""
