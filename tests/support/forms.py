"""What a browser without scripts would send of a form as it stands on a page, and what the page says at a field."""

from selectolax.lexbor import LexborHTMLParser, LexborNode


def sent_of(page: LexborHTMLParser, form: str) -> dict[str, list[str]]:
    """Names and values of the form that the selector *form* finds, no button among them."""
    found: dict[str, list[str]] = {}
    for node in page.css(f"{form} [name]"):
        value = _value_of(node)
        if value is not None:
            found.setdefault(node.attributes["name"] or "", []).append(value)
    return found


def error_at(page: LexborHTMLParser, name: str) -> str:
    """Empty where nothing is wrong with the field."""
    node = page.css_first(f'[data-error="{name}"]')
    assert node is not None, f"no field {name}"
    return node.text().strip()


def _value_of(node: LexborNode) -> str | None:
    match node.tag:
        case "button":
            return None
        case "textarea":
            return node.text()
        case "select":
            options = node.css("option[selected]") or node.css("option")
            return options[0].attributes.get("value") or ""
        case _ if node.attributes.get("type") == "checkbox" and "checked" not in node.attributes:
            return None
        case _:
            return node.attributes.get("value") or ""
