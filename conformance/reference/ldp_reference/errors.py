"""Errors of the reference implementation."""


class Refused(Exception):
    """The input is not valid: a reader must refuse it. The message is the reason."""


class Unsupported(Exception):
    """The input may be valid, but it is outside the profile of this implementation. The message names the feature."""
