"""The scripts and styles of others that the pages use: their versions, and the command that copies them."""
