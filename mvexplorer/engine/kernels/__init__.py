"""From features to affinities: distances, kernels, neighbours, landmarks, and products with them."""
