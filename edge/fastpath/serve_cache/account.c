#include "edge/fastpath/serve_cache/account.h"

#include <time.h>

#include "edge/spool/serve_counter.h"

static PyTypeObject *counter_type;

int find_counter_type(void)
{
    PyObject *module = PyImport_ImportModule("edge.spool.serve_counter");
    counter_type = module ? (PyTypeObject *)PyObject_GetAttrString(module, "GroupedCounter") : NULL;
    Py_XDECREF(module);
    if (counter_type && !PyType_HasFeature(counter_type, Py_TPFLAGS_HEAPTYPE) &&
        counter_type->tp_basicsize == sizeof(GroupedCounter))
        return 0;
    if (counter_type)
        PyErr_SetString(PyExc_ImportError, "edge.spool.serve_counter is not compiled");
    return -1;
}

/* Releases *found*. Returns 0, or -1 where it is NULL, with an error set. */
static int release(PyObject *found)
{
    Py_XDECREF(found);
    return found ? 0 : -1;
}

/* Counts in the native tally; returns 0 where there is none or it is full, -1 with an error set. */
static int add_to_counter(NativeServeCache *self, PyObject *row, PyObject *country, PyObject *device)
{
    PyObject *counters = part_of(self, &a_counters);
    PyObject *tally = counters ? get_attribute(counters, &a_tally) : NULL;
    Py_XDECREF(counters);
    if (!tally)
        return -1;
    int added = Py_TYPE(tally) == counter_type ? add_count((GroupedCounter *)tally, row, country, device) : 0;
    Py_DECREF(tally);
    return added;
}

/* The rate limit bucket of *address* at the property of *key_entry*; kept until the address visits another property. */
static PyObject *get_bucket(AddressEntry *address, const NativeKey *key_entry)
{
    static PyObject *serve;
    if (address->bucket && PyTuple_GET_ITEM(address->bucket, 1) == key_entry->property_id)
        return Py_NewRef(address->bucket);
    if (!serve && !(serve = PyUnicode_InternFromString("serve")))
        return NULL;
    Py_XSETREF(address->bucket, PyTuple_Pack(3, serve, key_entry->property_id, address->network));
    return Py_XNewRef(address->bucket);
}

/* Milliseconds of the monotonic clock, as `Clock.monotonic_ms`. */
static PyObject *monotonic_ms(NativeServeCache *self, const LookupResult *known)
{
    struct timespec at;
    if (known->is_machine_time && !clock_gettime(CLOCK_MONOTONIC, &at))
        return PyLong_FromLongLong(at.tv_sec * 1000LL + at.tv_nsec / 1000000);
    return call_part(self, &a_clock, s_monotonic_ms, NULL, 0);
}

int count_call(NativeServeCache *self, const LookupResult *known)
{
    const NativeKey *key_entry = known->client->key_entry;
    PyObject *bucket = get_bucket(known->address, key_entry);
    PyObject *at_ms = bucket ? monotonic_ms(self, known) : NULL;
    if (!at_ms) {
        Py_XDECREF(bucket);
        return -1;
    }
    PyObject *by_address[] = {bucket, key_entry->per_ip, at_ms};
    PyObject *by_key[] = {key_entry->bucket, key_entry->per_key, at_ms};
    PyObject *wait = call_part(self, &a_limiter, s_take, by_address, 3);
    Py_DECREF(bucket);
    int waits = wait ? PyObject_IsTrue(wait) : -1;
    if (!waits) {
        Py_SETREF(wait, call_part(self, &a_limiter, s_take, by_key, 3));
        waits = wait ? PyObject_IsTrue(wait) : -1;
    }
    Py_DECREF(at_ms);
    if (waits == 1)
        Py_XDECREF(PyObject_CallOneArg(self->refuse, wait));
    Py_XDECREF(wait);
    if (waits)
        return -1;
    PyObject *counted[] = {key_entry->property_id, key_entry->key_id, long_one};
    int added = add_to_counter(self, key_entry->used, Py_None, Py_None);
    return added ? added < 0 ? -1 : 0 : release(call_part(self, &a_counters, s_count_key, counted, 3));
}

int count_fill(NativeServeCache *self, const LookupResult *known, const NativeAd *ad)
{
    PyObject *const *row = &PyTuple_GET_ITEM(ad->row, 0);
    PyObject *country = known->address->country, *device = known->client->device;
    PyObject *args[] = {row[0], row[1], row[2], row[3], s_fill, country, device, row[4], row[5]};
    int added = add_to_counter(self, ad->row, country, device);
    if (added < 0 || (!added && release(call_part(self, &a_counters, s_count, args, 9))))
        return -1;
    PyObject *metrics = part_of(self, &a_metrics);
    PyObject *decisions = metrics ? get_attribute(metrics, &a_decided) : NULL;
    PyObject *fills = decisions ? PyObject_GetItem(decisions, s_fill) : NULL;
    PyObject *more = fills ? PyNumber_Add(fills, long_one) : NULL;
    int failed = more ? PyObject_SetItem(decisions, s_fill, more) : -1;
    PyObject *before = failed ? NULL : get_attribute(metrics, &a_fast_path_requests);
    PyObject *now = before ? PyNumber_Add(before, long_one) : NULL;
    failed = now ? set_attribute(metrics, &a_fast_path_requests, now) : -1;
    Py_XDECREF(metrics);
    Py_XDECREF(decisions);
    Py_XDECREF(fills);
    Py_XDECREF(more);
    Py_XDECREF(before);
    Py_XDECREF(now);
    return failed;
}

int commit_spend(NativeServeCache *self, PyObject *snapshot, const NativeAd *ad, PyObject *now)
{
    if (!ad->commits)
        return 0;
    PyObject *micros = PyLong_FromLongLong(ad->expected_micros);
    PyObject *args[] = {snapshot, ad->campaign, micros, now};
    int failed = micros ? release(call_part(self, &a_budgets, s_commit, args, 4)) : -1;
    Py_XDECREF(micros);
    return failed;
}
