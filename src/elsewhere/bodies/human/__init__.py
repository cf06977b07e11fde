"""People as models: a parametric body, its skin and skeleton, and a user's own scan."""
