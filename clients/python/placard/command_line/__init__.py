"""The command `placard`: the public API from a shell, as tables or JSON."""
