"""Scripts of measurement vendors in a VAST document, for the Open Measurement SDK."""

from typing import Any

from edge.serving.render.xml import cdata, cdata_text, element


def verifications(content: dict[str, Any]) -> str:
    """Scripts of measurement vendors, passed through for OMID (VAST 4.2, "AdVerifications")."""
    items = [_verification(one) for one in content.get("verifications") or ()]
    return element("AdVerifications", "".join(items)) if items else ""


def _verification(one: dict[str, Any]) -> str:
    script = element(
        "JavaScriptResource",
        cdata(one["javascript_url"]),
        apiFramework="omid",
        browserOptional=one.get("browser_optional", True),
    )
    failed, parameters = "", ""
    if one.get("not_executed_url"):
        url = cdata(one["not_executed_url"])
        failed = element(
            "TrackingEvents", element("Tracking", url, event="verificationNotExecuted")
        )
    if one.get("parameters"):
        parameters = element("VerificationParameters", cdata_text(one["parameters"]))
    return element("Verification", script + failed + parameters, vendor=one["vendor"])


def verifications_extension(content: dict[str, Any]) -> str:
    """Version 3.0 has no element of its own for them; OMID reads this extension."""
    inside = verifications(content)
    if not inside:
        return ""
    return element("Extensions", element("Extension", inside, type="AdVerifications"))
