"""What a page says after an act: sentences by the name that the address carries. Each is in the catalogues, too."""

TOLD: dict[str, str] = {
    "signed_out": "You are signed out.",
    "saved": "Saved.",
    "property_created": "The property is registered. Now prove that its domain is yours.",
    "secret_rotates": "A new secret is on its way to every edge.",
    "slot_created": "The slot is there. Put it into your page.",
    "slot_archived": "The slot is archived.",
    "slot_active": "The slot is active again.",
    "key_revoked": "The key is revoked: every edge refuses it within seconds.",
    "ad_created": "The ad is a draft. Look at it, then start it.",
    "ad_active": "The ad is active.",
    "ad_waits": "The ad waits for review.",
    "ad_paused": "The ad is paused.",
    "ad_archived": "The ad is archived.",
    "asset_uploaded": "The file is here.",
    "asset_archived": "The file is archived.",
    "approved": "Approved.",
    "rejected": "Rejected; whoever made it sees the reason.",
    "export_deleted": "The export is deleted.",
}
