"""
The reference at ``/docs``: the public description as pages for people.

It is rendered here, so that nothing is loaded from other hosts and no inline script has to be allowed. The description
is in English; menus and labels around it are in the reader's language.
"""

from functools import cached_property
from typing import Any

import orjson
from sanic import Request, Sanic
from sanic.response import HTTPResponse

from common.http.router import READING
from common.values.errors import not_found
from control.api.openapi import PublishedDescription
from control.dashboard.compression import compress_file
from control.dashboard.docs.asset_files import ASSET_PATHS, ASSETS
from control.dashboard.docs.model import Reference, TagPage
from control.dashboard.i18n import language_of
from control.dashboard.rendering import templates_of
from control.foundation.languages import ENGLISH, tag_of

_TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Cache-Control": "max-age=300",
    "Referrer-Policy": "same-origin",
    "Vary": "Accept-Language, Cookie",
}
_FOR_EVER = {"Cache-Control": "public, max-age=31536000, immutable"}
_OWN_PAGES = ("index", "errors")
"""Besides one page a tag."""


class _Docs:
    """Rendered on first request, then cached: it changes only with the release."""

    def __init__(self, description: bytes) -> None:
        self._description = description
        self._pages: dict[tuple[str, str], str] = {}

    def page(self, name: str, language: str) -> str | None:
        """
        ``index``, ``errors`` or a tag's slug; None where there is no such page. *language*: of `LANGUAGES`, around the
        description.
        """
        if (name, language) not in self._pages:
            rendered = self._render(name, language)
            if rendered is None:
                return None
            self._pages[name, language] = rendered
        return self._pages[name, language]

    def _render(self, name: str, language: str) -> str | None:
        by_slug = {tag.slug: tag for tag in self._tags}
        if name not in (*by_slug, *_OWN_PAGES):
            return None
        file = name if name in _OWN_PAGES else "tag"
        template = templates_of(language).get_template(f"docs/{file}.html")
        return template.render(
            tags=self._tags,
            tag=by_slug.get(name),
            errors=self._reference.errors() if name == "errors" else (),
            info=self._document["info"],
            schemes=self._document["components"]["securitySchemes"],
            control_url=self._document["servers"][0]["url"],
            asset=ASSET_PATHS,
            reader_tag=tag_of(language),
            is_translated=language != ENGLISH,
        )

    @cached_property
    def _document(self) -> dict[str, Any]:
        found: dict[str, Any] = orjson.loads(self._description)
        return found

    @cached_property
    def _reference(self) -> Reference:
        return Reference(self._document)

    @cached_property
    def _tags(self) -> tuple[TagPage, ...]:
        return self._reference.tags()


def add_docs(app: Sanic[Any, Any], description: PublishedDescription) -> None:
    docs: _Docs | None = None

    async def page(request: Request, name: str = "index") -> HTTPResponse:
        nonlocal docs
        if docs is None:
            docs = _Docs(await description.read())
        found = docs.page(name, language_of(request).language)
        if found is None:
            raise not_found()
        content_type = "text/html; charset=utf-8"
        return compress_file(
            request, HTTPResponse(found, headers=_HEADERS, content_type=content_type)
        )

    async def asset(request: Request, address: str) -> HTTPResponse:
        path = ASSETS.get(address)
        if path is None:
            raise not_found()
        content_type = _TYPES[path.suffix]
        return compress_file(
            request, HTTPResponse(path.read_bytes(), headers=_FOR_EVER, content_type=content_type)
        )

    app.add_route(page, "/docs", methods=READING, name="docs_index")
    app.add_route(page, "/docs/<name:str>", methods=READING, name="docs_page")
    app.add_route(asset, "/docs/assets/<address:str>", methods=READING, name="docs_asset")
