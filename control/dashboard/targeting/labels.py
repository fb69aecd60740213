"""Labels of the enumerations of targeting. English, and in the catalogues; a template translates them."""

DEVICES = {
    "desktop": "Desktop",
    "mobile": "Phone",
    "tablet": "Tablet",
    "tv": "TV",
    "other": "Other",
}
SYSTEMS = {
    "windows": "Windows",
    "macos": "macOS",
    "linux": "Linux",
    "ios": "iOS",
    "android": "Android",
    "chromeos": "ChromeOS",
    "other": "Other",
}
BROWSERS = {
    "chrome": "Chrome",
    "safari": "Safari",
    "firefox": "Firefox",
    "edge": "Edge",
    "opera": "Opera",
    "samsung": "Samsung Internet",
    "other": "Other",
}
DAYS = {
    "mon": "Mon",
    "tue": "Tue",
    "wed": "Wed",
    "thu": "Thu",
    "fri": "Fri",
    "sat": "Sat",
    "sun": "Sun",
}
OPERATORS = {"in": "is one of", "not_in": "is none of"}
