"""Forms of a page, and what becomes of one whose button is pressed: sent, refused at a field in sight, or nothing."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal

from playwright.async_api import Page, Request, Route

from tests.support.waiting import PATIENCE_S

Fill = Literal["untouched", "nothing", "wrong", "everything"]
"""``wrong``: text that no field of its kind takes."""


@dataclass(frozen=True, slots=True)
class Form:
    """``fields`` are the names of its controls; two forms of one kind on different pages are equal."""

    number: int = field(compare=False)
    """Its place among ``document.forms``."""
    button: str
    fields: str
    is_question: bool
    """Of a filter or a search: it asks for a page, and changes nothing."""


async def forms_of(page: Page) -> list[Form]:
    """Fails where a form has no button."""
    found = await page.evaluate(_FORMS)
    forms = [Form(*one) for one in found]
    assert all(form.button for form in forms), f"{page.url}: a form without a button: {forms}"
    return forms


@asynccontextmanager
async def nothing_is_sent(page: Page) -> AsyncIterator[asyncio.Event]:
    """
    The event is set when a form was sent, which is answered by 204: the page stays, and nothing changes. It is set at
    the end of the request, because Playwright's `goto` fails if the navigation before it ends meanwhile.
    """
    sent = asyncio.Event()
    answered: set[Request] = set()

    async def note(route: Route) -> None:
        request = route.request
        if request.method == "POST" or request.is_navigation_request():
            answered.add(request)
            await route.fulfill(status=204)
        else:
            await route.continue_()

    def end(request: Request) -> None:
        if request in answered:
            sent.set()

    page.on("requestfinished", end)
    page.on("requestfailed", end)
    await page.route("**/*", note)
    try:
        yield sent
    finally:
        await page.unroute("**/*", note)
        page.remove_listener("requestfinished", end)
        page.remove_listener("requestfailed", end)


async def press(page: Page, form: Form, fill: Fill, sent: asyncio.Event) -> str | None:
    """
    What is wrong with what came of it; None where the form was sent or a field in sight says what it lacks. With
    everything filled in it has to be sent, and a question has to be as it stands.
    """
    sent.clear()
    if fill == "untouched":  # by the mouse, which finds what covers a button
        await page.evaluate(_FILL, [form.number, fill])
        await page.locator("[data-pressed]").click()
        came: str = await page.evaluate(_CAME)
    else:
        came = await page.evaluate(_FILL_AND_PRESS, [form.number, fill])
    must_go = fill == "everything" or (fill == "untouched" and form.is_question)
    if came == "refused" and must_go:
        return f"refused: {await page.evaluate('document.activeElement.name')}"
    if came == "":
        try:
            async with asyncio.timeout(PATIENCE_S):
                await sent.wait()
        except TimeoutError:
            return "nothing happened"
        return None
    return None if came == "refused" else came


_BUTTON = """
  const buttonOf = (form) => {
    const buttons = [...form.elements].filter((one) => one.type === "submit" && !one.formNoValidate);
    return buttons.find((one) => one.classList.contains("primary")) ?? buttons[0];
  };
"""

_FORMS = (
    "() => {"
    + _BUTTON
    + """
  // A form that closes its dialog sends nothing. One whose filters apply at once has a button only without scripts.
  const isPressed = (form) => form.method !== "dialog" && !buttonOf(form)?.classList.contains("without-script");
  return [...document.forms].map((form, number) => [form, number]).filter(([form]) => isPressed(form)).map(
    ([form, number]) => [
      number,
      buttonOf(form)?.textContent.trim() ?? "",
      [...form.elements].map((one) => one.name).filter((name) => name).join(" "),
      form.method === "get",
    ],
  );
}"""
)

_FILL = (
    "([number, fill]) => {"
    + _BUTTON
    + """
  const form = document.forms[number];
  const button = buttonOf(form);
  document.querySelectorAll("[data-pressed]").forEach((one) => one.removeAttribute("data-pressed"));
  button.dataset.pressed = "";
  button.disabled = false;
  const texts = {
    email: "ana@acme.example",
    url: "https://acme.example/",
    date: "2026-03-01",
    "datetime-local": "2026-03-01T10:00",
    password: "correct horse battery",
  };
  const wrongTexts = { number: "-1", date: "0001-01-01", "datetime-local": "0001-01-01T00:00" };
  const textOf = (one) => {
    const isNumber = one.type === "number" || one.inputMode;
    return texts[one.type] ?? (isNumber ? one.min || "1" : "Text");
  };
  for (const one of form.elements) {
    if (fill === "untouched" || !one.willValidate || one.type === "submit" || one.type === "button") continue;
    if (one.type === "file") {
      const files = new DataTransfer();
      if (fill === "everything") files.items.add(new File(["x"], "x.png", { type: "image/png" }));
      one.files = files.files;
    } else if (one.type === "checkbox" || one.type === "radio") one.checked = fill === "everything";
    else if (one.tagName === "SELECT") one.selectedIndex = fill === "everything" ? one.options.length - 1 : 0;
    else if (fill === "nothing") one.value = "";
    else if (fill === "wrong") one.value = wrongTexts[one.type] ?? "?";
    else if (!one.value) one.value = textOf(one);
  }
  for (const part of form.querySelectorAll("details")) part.open = false;
  for (let part = button.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
  document.activeElement?.blur();
}"""
)

_CAME = """() => {
  const at = document.activeElement;
  if (at?.matches(":invalid")) {
    const isSeen = at.checkVisibility({ visibilityProperty: true }) && at.getClientRects().length;
    return isSeen ? "refused" : "refused out of sight";
  }
  const { form } = document.querySelector("[data-pressed]");
  const blocked = [...form.elements].find((one) => one.willValidate && !one.checkValidity());
  return blocked ? `blocked out of sight by ${blocked.name || blocked.id}` : "";
}"""

_FILL_AND_PRESS = f"""(given) => {{
  ({_FILL})(given);
  document.querySelector("[data-pressed]").click();
  return ({_CAME})();
}}"""
