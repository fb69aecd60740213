/** `<service-ad>` in Vue templates: `import type {} from "@placard/service-ads/vue"`, and `isCustomElement: (tag) => tag === "service-ad"`. */
import type { DefineComponent } from "vue";
import type { ServiceAdEvents } from "../dist/element.js";
import type { ServiceAdAttributes } from "./attributes.js";

/** Vue checks the attributes of a template by their names in camel case. */
type Camel<Name extends string> = Name extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Name;
type Attributes = {
  [Name in keyof ServiceAdAttributes as Name extends string ? Camel<Name> : never]: ServiceAdAttributes[Name];
};
type Listeners = {
  [Name in keyof ServiceAdEvents as Name extends `ad-${infer End}` ? `onAd${Capitalize<End>}` : never]?: (
    event: ServiceAdEvents[Name],
  ) => void;
};

declare module "vue" {
  interface GlobalComponents {
    "service-ad": DefineComponent<Attributes & Listeners>;
  }
}
