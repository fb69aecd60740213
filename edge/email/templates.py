"""The templates of a mailing's items: each is stored and read once."""

from collections.abc import Collection
from typing import final

from common.values.generation_cache import GenerationCache
from edge.email.items import ItemTemplate, parse_template
from edge.ports import MailStore, MailStoreUnavailable


@final
class MailTemplates:
    """*known*: those that this worker parsed before, by id."""

    def __init__(self, known: GenerationCache) -> None:
        self._known = known
        self._used: dict[str, ItemTemplate] = {}

    def keep(self, template: ItemTemplate) -> ItemTemplate:
        if template.id not in self._used:
            self._used[template.id] = template
            self._known.put(template.id, template)
        return template

    async def store(self, mails: MailStore) -> None:
        """Stores the templates that were kept; those stored before live on. Raises `MailStoreUnavailable`."""
        texts = {name: one.text.encode() for name, one in self._used.items()}
        await mails.store_templates(texts)

    async def find(self, mails: MailStore, ids: Collection[str]) -> dict[str, ItemTemplate]:
        """Raises `MailStoreUnavailable`, also where a template is gone."""
        found: dict[str, ItemTemplate] = {}
        for name in ids:
            known: ItemTemplate | None = self._known.get(name)
            if known is not None:
                found[name] = known
        missing = [name for name in ids if name not in found]
        for name, raw in zip(missing, await mails.find_templates(missing), strict=True):
            if raw is None:
                raise MailStoreUnavailable("a template of stored items is gone")
            found[name] = parse_template(raw.decode())
            self._known.put(name, found[name])
        return found
