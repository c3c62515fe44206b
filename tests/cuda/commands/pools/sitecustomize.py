"""The user's."""
