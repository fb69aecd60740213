"""Code that both planes share. With ``PLACARD_COMPILED=1`` the compiled modules of it and of the edge are used."""

import os

if os.environ.get("PLACARD_COMPILED") == "1":  # noqa: TID251 - decided before anything can read settings
    from common.service.compiled import use_compiled

    use_compiled()
