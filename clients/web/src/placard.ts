/** The element and the module in one file, for a page without a build step. */

export * from "./element.js";
export * from "./index.js";
