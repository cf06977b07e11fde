"""Metrics and experiments, one file for each table or figure of a paper, and their reports."""
