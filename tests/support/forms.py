"""Pages without scripts: a part of one, the values that a form would send, the error at a field."""

from selectolax.lexbor import LexborHTMLParser, LexborNode


def sent_of(page: LexborHTMLParser, form: str) -> dict[str, list[str]]:
    """Names and values of the form that the selector *form* finds, no button among them."""
    found: dict[str, list[str]] = {}
    for node in page.css(f"{form} [name]"):
        value = _value_of(node)
        if value is not None:
            found.setdefault(node.attributes["name"] or "", []).append(value)
    return found


def the(page: LexborHTMLParser | LexborNode, selector: str) -> LexborNode:
    """The first node that *selector* finds; fails where there is none."""
    node = page.css_first(selector)
    assert node is not None, f"nothing is {selector}"
    return node


def attribute(page: LexborHTMLParser | LexborNode, selector: str, name: str) -> str:
    return the(page, selector).attributes[name] or ""


def error_at(page: LexborHTMLParser, name: str) -> str:
    """Empty where nothing is wrong with the field."""
    return the(page, f'[data-error="{name}"]').text().strip()


def next_step(page: LexborHTMLParser) -> str:
    """The heading of the step that is to be taken."""
    (heading,) = page.css("li.here h2")
    return heading.text()


def totals_of(page: LexborHTMLParser) -> dict[str, str]:
    """Each figure above the table, with what it is compared with behind it."""
    names = [one.text(strip=True) for one in page.css("dl.figures dt")]
    values = [one.text(separator=" ", strip=True) for one in page.css("dl.figures dd")]
    return dict(zip(names, values, strict=True))


def _value_of(node: LexborNode) -> str | None:
    match node.tag:
        case "button":
            return None
        case "textarea":
            return node.text()
        case "select":
            options = node.css("option[selected]") or node.css("option")
            value = options[0].attributes.get("value", options[0].text().strip())
            return value or ""
        case _ if (
            node.attributes.get("type") in ("checkbox", "radio")
            and "checked" not in node.attributes
        ):
            return None
        case _:
            return node.attributes.get("value") or ""
