/** The version of this library, which each request names. */
export const VERSION = "0.2.0";
