"""What a caller asks for: embeddings, the estimator, what they cost, and stand-ins for large data."""
