"""The one exception of the one-machine stack."""


class TroubleError(Exception):
    """Something on this machine keeps the stack from running.

    The message is for the person at the terminal: what is wrong, where it was looked for, what to
    do. It is printed as it stands, without a traceback.
    """
