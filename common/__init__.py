"""
Code that both planes share. With ``PLACARD_COMPILED=1`` the compiled modules of it and of the edge are used, with
``PLACARD_COMPILED=c`` those that are written in C.
"""

import os

_MODE = os.environ.get("PLACARD_COMPILED")  # noqa: TID251 - decided before anything can read settings
if _MODE in {"1", "c", "sanitized"}:
    from common.service.compiled import FOLDER, SANITIZED, native_folder, use_compiled

    use_compiled(
        native_folder() if _MODE == "c" else FOLDER if _MODE == "1" else SANITIZED, mode=_MODE
    )
