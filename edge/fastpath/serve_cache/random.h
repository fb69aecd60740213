/* The random values of a request: its seed, and ids for its decision and its request. */

#ifndef PLACARD_RANDOM_H
#define PLACARD_RANDOM_H

#include "edge/fastpath/serve_cache/context.h"

#define MADE_REQUEST_ID_CHARS 24

/* As `EdgeContext.peek_seed`, but a new seed is not stored there yet. Returns -1 with an error set. */
int peek_seed(NativeServeCache *self, LookupResult *known);

/* As `EdgeContext.take_seed`, for the seed of `peek_seed`. Returns -1 with an error set. */
int take_seed(NativeServeCache *self, LookupResult *known);

/* Stores a new seed that the request did not use, for the next request. An error that is set stays set. */
int keep_seed(NativeServeCache *self, LookupResult *known);

/* Returns *bytes* random bytes from the system, at most `CHANCE_BYTES`; NULL with an error set. */
const unsigned char *take_chance(NativeServeCache *self, size_t bytes);

/* Writes the `ID_BYTES` of a new token id. Returns -1 with an error set. */
int get_token_id(NativeServeCache *self, const LookupResult *known, unsigned char *id);

/* Chooses the client's request id where it is valid, else writes a new one to *made*. Returns its length. */
Py_ssize_t choose_request_id(NativeServeCache *self, const HeadParts *parts, char *made, const char **chosen);

#endif
