"""Why a file is no asset, in words for the one who sent it."""


class FileRefused(Exception):
    """The message says what is wrong and what to send instead."""
