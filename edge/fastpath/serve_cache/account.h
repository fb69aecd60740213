/* Everything that an answer changes: rate limits, budgets and counts, as on the slow path. */

#ifndef PLACARD_ACCOUNT_H
#define PLACARD_ACCOUNT_H

#include "edge/fastpath/serve_cache/context.h"

/* Finds the counter's class. Returns -1 with an error set where it is not compiled. */
int find_counter_type(void);

/* As `count_call` in Python. Returns -1 with an error set; the error may be that the rate limit is exceeded. */
int count_call(NativeServeCache *self, const LookupResult *known);

/* Counts a fill of *ad*. Returns -1 with an error set. */
int count_fill(NativeServeCache *self, const LookupResult *known, const NativeAd *ad);

/* Takes the expected spend of *ad* from its budget, where it has one. Returns -1 with an error set. */
int commit_spend(NativeServeCache *self, PyObject *snapshot, const NativeAd *ad, PyObject *now);

#endif
