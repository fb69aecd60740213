/** Elements of an ad: attributes without a value are left out, `""` is one. */

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
