/** Elements of an ad: attributes without a value are left out, `""` is one. */
export declare function make<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, attributes?: Readonly<Record<string, unknown>>, ...inside: (Node | string)[]): HTMLElementTagNameMap[Tag];
