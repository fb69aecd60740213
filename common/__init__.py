"""Code that both planes share. With ``PLACARD_COMPILED=1`` the compiled modules of it and of the edge are used."""

import os

_ASKED = os.environ.get("PLACARD_COMPILED")  # noqa: TID251 - decided before anything can read settings
if _ASKED in {"1", "sanitized"}:
    from common.service.compiled import FOLDER, SANITIZED, use_compiled

    use_compiled(FOLDER if _ASKED == "1" else SANITIZED)
