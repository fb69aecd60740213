"""What a page says after an act: sentences by the name that the address carries. Each is in the catalogues, too."""

TOLD: dict[str, str] = {
    "signed_out": "You are signed out.",
    "saved": "Saved.",
    "export_deleted": "The export is deleted.",
}
