"""The jobs for a model, one in each file: inputs, prompt, reading of the reply, and rules without a model."""
