/* Cache lookup: is every part of the request cached and still valid, and which ad wins? Has no side effects. */

#ifndef PLACARD_LOOKUP_H
#define PLACARD_LOOKUP_H

#include "edge/fastpath/serve_cache/context.h"

#define MAX_ADDRESS_CHARS 200
#define ADDRESS_KEY_BYTES (2 * MAX_ADDRESS_CHARS + 1)

/*
 * Writes the key of an address entry: X-Forwarded-For, and the peer, into `ADDRESS_KEY_BYTES`. Returns its length; -1
 * where it is too long, or with an error set.
 */
Py_ssize_t address_key(const char *forwarded_for, Py_ssize_t length, PyObject *peer, char *key);

/* Returns 1 where every part of the request is cached and valid, else 0 with `miss_reason`; -1 with an error set. */
int lookup_request(NativeServeCache *self, const HeadParts *parts, PyObject *peer, LookupResult *known);

/* Returns the winning ad, borrowed from its segment; NULL where the cache cannot decide, or with an error set. */
NativeAd *pick_ad(NativeServeCache *self, LookupResult *known, PyObject *snapshot);

#endif
