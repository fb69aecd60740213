"""Why a file is rejected as an asset, in words for its sender."""


class FileRefused(Exception):
    """The message says what is wrong and what to send instead."""
