"""One cassette for each job of a model, in a file named after what the job does."""
