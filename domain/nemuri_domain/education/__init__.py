"""How an agent is taught: a course chapter by chapter, what makes an answer right, when an exercise comes again."""
