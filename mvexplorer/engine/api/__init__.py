"""The calls that users make: embeddings, the estimator, what they cost, and stand-ins for large data."""
