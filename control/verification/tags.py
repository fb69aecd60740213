"""The verification tags of a page: only those in its head, where no visitor's comment can put one."""

from selectolax.lexbor import LexborHTMLParser

TAG_NAME = "service-ad-verification"
_MOST = 50
_SELECTOR = f'head > meta[name="{TAG_NAME}" i]'


def tag_for(token: str) -> str:
    """*token* holds nothing that HTML would read otherwise."""
    return f'<meta name="{TAG_NAME}" content="{token}">'


def find_tags(body: bytes) -> tuple[str, ...]:
    """The tags' contents, in their order; a page in another encoding than UTF-8 still shows its ASCII."""
    page = LexborHTMLParser(body.decode("utf-8", "replace"))
    found = (node.attributes.get("content") for node in page.css(_SELECTOR)[:_MOST])
    return tuple(content.strip() for content in found if content)
