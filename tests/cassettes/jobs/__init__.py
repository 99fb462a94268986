"""One cassette for each job of the protocol `Model`, in a file named like the method."""
