"""
Code that both planes share. With ``PLACARD_COMPILED=1`` the compiled modules of it and of the edge are used, with
``PLACARD_COMPILED=c`` those that are written in C.
"""

import os

_ASKED = os.environ.get("PLACARD_COMPILED")  # noqa: TID251 - decided before anything can read settings
if _ASKED in {"1", "c", "sanitized"}:
    from common.service.compiled import FOLDER, SANITIZED, native_folder, use_compiled

    use_compiled(
        native_folder() if _ASKED == "c" else FOLDER if _ASKED == "1" else SANITIZED, mode=_ASKED
    )
