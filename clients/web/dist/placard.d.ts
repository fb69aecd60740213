/** For a page without a build step: the element and the module in one file. */
export * from "./element.js";
export * from "./index.js";
