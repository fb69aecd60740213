// Finding an operation by a few letters, copying examples, and one language of the examples at a time. Everything is
// readable without this.

const find = document.getElementById("find");
const menu = document.querySelector(".menu");

const narrow = window.matchMedia("(max-width: 50rem)");
menu.open = !narrow.matches;
menu.dataset.ready = "";
narrow.addEventListener("change", () => { menu.open = !narrow.matches; });

function filterOperations() {
  const items = [...document.querySelectorAll("#found [data-find]")];
  const tags = [...document.querySelectorAll("#found .tag")];
  const folded = new Map(tags.map((tag) => [tag, tag.querySelector("ul").className]));
  find.hidden = false;
  find.addEventListener("input", () => {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length > 0) menu.open = true;
    for (const item of items) {
      const text = item.dataset.find.toLowerCase();
      item.hidden = !words.every((word) => text.includes(word));
    }
    for (const tag of tags) {
      const shown = tag.querySelector("[data-find]:not([hidden])") !== null;
      tag.hidden = words.length > 0 && !shown;
      tag.querySelector("ul").className = words.length > 0 ? "" : folded.get(tag);
    }
  });
}

if (find) filterOperations();

const { copy, copied } = document.body.dataset;

for (const example of document.querySelectorAll("figure")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = copy;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(example.querySelector("code").textContent);
    button.textContent = copied;
    setTimeout(() => { button.textContent = copy; }, 1500);
  });
  example.querySelector("figcaption").append(button);
}

const LANGUAGE = "placard_docs_language";
const sets = [];

function choose(language) {
  for (const { tabs, figures } of sets) {
    if (!figures.some((figure) => figure.dataset.language === language)) continue;
    figures.forEach((figure, place) => {
      const isChosen = figure.dataset.language === language;
      figure.hidden = !isChosen;
      tabs[place].setAttribute("aria-selected", String(isChosen));
      tabs[place].tabIndex = isChosen ? 0 : -1;
    });
  }
}

function choosePressed(language) {
  choose(language);
  try {
    localStorage.setItem(LANGUAGE, language);
  } catch {
    // Storage is forbidden: the choice lasts as long as the page.
  }
}

function storedLanguage() {
  try {
    return localStorage.getItem(LANGUAGE);
  } catch {
    return null;
  }
}

function makeTab(figure, number) {
  const tab = document.createElement("button");
  tab.type = "button";
  tab.id = `tab-${number}-${figure.dataset.language}`;
  tab.textContent = figure.querySelector("figcaption").firstChild.textContent;
  tab.setAttribute("role", "tab");
  figure.id = `example-${number}-${figure.dataset.language}`;
  figure.setAttribute("role", "tabpanel");
  figure.setAttribute("aria-labelledby", tab.id);
  tab.setAttribute("aria-controls", figure.id);
  tab.addEventListener("click", () => choosePressed(figure.dataset.language));
  return tab;
}

function moveFocus(event, tabs) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const tab = tabs[(tabs.indexOf(event.target) + step + tabs.length) % tabs.length];
  tab.focus();
  tab.click();
}

[...document.querySelectorAll(".examples")].forEach((examples, number) => {
  const figures = [...examples.querySelectorAll("figure")];
  if (figures.length < 2) return;
  const tabs = figures.map((figure) => makeTab(figure, number));
  const list = document.createElement("div");
  list.className = "tabs";
  list.setAttribute("role", "tablist");
  list.append(...tabs);
  list.addEventListener("keydown", (event) => moveFocus(event, tabs));
  examples.prepend(list);
  sets.push({ tabs, figures });
  choose(figures[0].dataset.language);
});
choose(storedLanguage());

document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !(event.target instanceof HTMLInputElement)) {
    event.preventDefault();
    (find ?? document.querySelector("input[type=search]")).focus();
  }
});
