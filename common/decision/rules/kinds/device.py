"""Targets device type, system and browser, which the edge derives from the user agent; all three must match."""

from common.decision.rules.kinds.kind import OneValue, TargetingKind
from common.decision.rules.outcome import NoFillReason
from common.values.enums import Browser, DeviceType, OperatingSystem
from common.values.messages import Message

DEVICE = TargetingKind(
    "device",
    NoFillReason.DEVICE_NOT_TARGETED,
    Message(
        "The campaign or ad does not target the visitor's device, operating system or browser, "
        "or it is unknown."
    ),
    Message("Change `targeting.device`. A server sends the visitor's User-Agent as `ua`."),
    (
        OneValue("device", DeviceType, "types", of_client=True),
        OneValue("os", OperatingSystem, "os", of_client=True),
        OneValue("browser", Browser, "browsers", of_client=True),
    ),
)
