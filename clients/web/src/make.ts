/** Creates an element. Attributes that are null or undefined are left out; `""` is a value. */

export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, unknown>> = {},
  ...inside: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value != null) made.setAttribute(name, `${value}`);
  made.append(...inside);
  return made;
}
