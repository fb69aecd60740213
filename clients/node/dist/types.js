// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.
/** The models of the API, as JSON has them. Responses can have fields and values that are not listed. */
export {};
