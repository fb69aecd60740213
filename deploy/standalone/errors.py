"""The one exception of the one-machine stack."""


class StartError(Exception):
    """Something on this machine prevents the stack from running.

    The message is for the person at the terminal: what is wrong, where it was looked for, what to do. It is printed
    unchanged, without a traceback.
    """
