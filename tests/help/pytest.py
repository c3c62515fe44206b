"""Stands for pytest, which is not installed."""
