/* What an answer changes: limits, budgets and counts, as `count_call` and `usual_calls.py` do. */

#ifndef PLACARD_ACCOUNT_H
#define PLACARD_ACCOUNT_H

#include "edge/spool/serve_counter.h"
#include "edge/fastpath/serve_cache/context.h"

static PyTypeObject *tally_type;

static int find_tally(void)
{
    PyObject *module = PyImport_ImportModule("edge.spool.serve_counter");
    tally_type = module ? (PyTypeObject *)PyObject_GetAttrString(module, "GroupedCounter") : NULL;
    Py_XDECREF(module);
    if (tally_type && tally_type->tp_basicsize == sizeof(GroupedCounter))
        return 0;
    if (tally_type)
        PyErr_SetString(PyExc_ImportError, "edge.spool.serve_counter is not compiled");
    return -1;
}

/* 0 where something was given, which is let go of; -1 with an error set where nothing was. */
static int done(PyObject *found)
{
    Py_XDECREF(found);
    return found ? 0 : -1;
}

/* Counts in the tally; 0 where there is no room in it, -1 with an error set. */
static int tell(NativeServeCache *self, PyObject *row, PyObject *country, PyObject *device)
{
    PyObject *counters = part_of(self, &a_counters);
    PyObject *tally = counters ? get_attribute(counters, &a_tally) : NULL;
    Py_XDECREF(counters);
    if (!tally)
        return -1;
    int told = Py_TYPE(tally) == tally_type ? tally_add((GroupedCounter *)tally, row, country, device) : 0;
    Py_DECREF(tally);
    return told;
}

/* The limiter's bucket of calls to *site* from *source*, made once for as long as they stay the same. */
static PyObject *get_bucket(Source *source, const NativeKey *site)
{
    static PyObject *serve;
    if (source->bucket && PyTuple_GET_ITEM(source->bucket, 1) == site->property_id)
        return Py_NewRef(source->bucket);
    if (!serve && !(serve = PyUnicode_InternFromString("serve")))
        return NULL;
    Py_XSETREF(source->bucket, PyTuple_Pack(3, serve, site->property_id, source->network));
    return Py_XNewRef(source->bucket);
}

/* `count_call`: -1 with an error set, which may be that it is one call too many. */
static int count_call(NativeServeCache *self, const Known *known)
{
    const NativeKey *site = known->reader->site;
    PyObject *bucket = get_bucket(known->source, site);
    if (!bucket)
        return -1;
    PyObject *by_address[] = {bucket, site->per_ip, known->now};
    PyObject *by_key[] = {site->bucket, site->per_key, known->now};
    PyObject *wait = ask_part(self, &a_limiter, s_take, by_address, 3);
    Py_DECREF(bucket);
    int waits = wait ? PyObject_IsTrue(wait) : -1;
    if (!waits) {
        Py_SETREF(wait, ask_part(self, &a_limiter, s_take, by_key, 3));
        waits = wait ? PyObject_IsTrue(wait) : -1;
    }
    if (waits == 1)
        Py_XDECREF(PyObject_CallOneArg(self->refuse, wait));
    Py_XDECREF(wait);
    if (waits)
        return -1;
    PyObject *counted[] = {site->property_id, site->key_id, one};
    int told = tell(self, site->used, Py_None, Py_None);
    return told ? told < 0 ? -1 : 0 : done(ask_part(self, &a_counters, s_count_key, counted, 3));
}

static int count_fill(NativeServeCache *self, const Known *known, const NativeAd *ad)
{
    PyObject *const *row = &PyTuple_GET_ITEM(ad->row, 0);
    PyObject *country = known->source->country, *device = known->reader->device;
    PyObject *args[] = {row[0], row[1], row[2], row[3], s_fill, country, device, row[4], row[5]};
    int told = tell(self, ad->row, country, device);
    if (told < 0 || (!told && done(ask_part(self, &a_counters, s_count, args, 9))))
        return -1;
    PyObject *metrics = part_of(self, &a_metrics);
    PyObject *decisions = metrics ? get_attribute(metrics, &a_decided) : NULL;
    PyObject *fills = decisions ? PyObject_GetItem(decisions, s_fill) : NULL;
    PyObject *more = fills ? PyNumber_Add(fills, one) : NULL;
    int failed = more ? PyObject_SetItem(decisions, s_fill, more) : -1;
    PyObject *before = failed ? NULL : get_attribute(metrics, &a_answered_at_once);
    PyObject *now = before ? PyNumber_Add(before, one) : NULL;
    failed = now ? set_attribute(metrics, &a_answered_at_once, now) : -1;
    Py_XDECREF(metrics);
    Py_XDECREF(decisions);
    Py_XDECREF(fills);
    Py_XDECREF(more);
    Py_XDECREF(before);
    Py_XDECREF(now);
    return failed;
}

static int commit(NativeServeCache *self, PyObject *snapshot, const NativeAd *ad, PyObject *now)
{
    if (!ad->commits)
        return 0;
    PyObject *micros = PyLong_FromLongLong(ad->expected_micros);
    PyObject *args[] = {snapshot, ad->campaign, micros, now};
    PyObject *done = micros ? ask_part(self, &a_budgets, s_commit, args, 4) : NULL;
    Py_XDECREF(micros);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

#endif
