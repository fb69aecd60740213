/** Creates an element. Attributes that are null or undefined are left out; `""` is a value. */
export declare function make<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, attributes?: Readonly<Record<string, unknown>>, ...inside: (Node | string)[]): HTMLElementTagNameMap[Tag];
