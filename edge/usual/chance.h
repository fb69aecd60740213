/* What of a call is drawn: its seed, and ids for its decision and its request. */

#ifndef PLACARD_CHANCE_H
#define PLACARD_CHANCE_H

#include <sys/random.h>

#include "edge/usual/asking.h"

#define MOST_REQUEST_ID_CHARS 128
#define MADE_REQUEST_ID_CHARS 24

/* `EdgeContext.peek_seed`, as a new reference. */
static PyObject *peek_seed(Doorman *self)
{
    static PyObject *bits;
    PyObject *ahead = PyObject_GetAttr(self->edge, s__next_seed);
    if (!ahead || (!bits && !(bits = PyLong_FromLong(64)))) {
        Py_XDECREF(ahead);
        return NULL;
    }
    Py_DECREF(ahead);
    if (ahead != Py_None)
        return PyObject_CallMethodNoArgs(self->edge, s_peek_seed);
    PyObject *rng = part_of(self, s_rng);
    PyObject *seed = rng ? PyObject_CallMethodOneArg(rng, s_getrandbits, bits) : NULL;
    PyObject *kept = seed ? PyTuple_Pack(2, rng, seed) : NULL;
    int failed = kept ? PyObject_SetAttr(self->edge, s__next_seed, kept) : -1;
    Py_XDECREF(rng);
    Py_XDECREF(kept);
    if (failed)
        Py_CLEAR(seed);
    return seed;
}

/* `EdgeContext.take_seed`, of the one that was looked at. */
static int take_seed(Doorman *self)
{
    return PyObject_SetAttr(self->edge, s__next_seed, Py_None);
}

/* Chance from the system's pool, some hundred calls' worth at a time. */
static const unsigned char *take_chance(Doorman *self, size_t bytes)
{
    if (self->chance_left < bytes) {
        if (getrandom(self->chance, CHANCE_BYTES, 0) != CHANCE_BYTES) {
            PyErr_SetFromErrno(PyExc_OSError);
            return NULL;
        }
        self->chance_left = CHANCE_BYTES;
    }
    self->chance_left -= bytes;
    return self->chance + self->chance_left;
}

/* A UUIDv7 of the instant: 74 bits of chance. */
static int make_token_id(Doorman *self, long long now_ms, unsigned char *id)
{
    const unsigned char *chance = take_chance(self, ID_BYTES - 6);
    if (!chance)
        return -1;
    for (int byte = 0; byte < 6; byte++)
        id[byte] = (unsigned char)(now_ms >> (40 - 8 * byte));
    memcpy(id + 6, chance, ID_BYTES - 6);
    id[6] = (unsigned char)(0x70 | (id[6] & 0x0f));
    id[8] = (unsigned char)(0x80 | (id[8] & 0x3f));
    return 0;
}

static int get_token_id(Doorman *self, const Known *known, PyObject *now, unsigned char *id)
{
    PyObject *made = PyObject_GetAttr(self->edge, s_new_token_id);
    if (made == self->new_id_at) {
        Py_DECREF(made);
        return make_token_id(self, known->now_ms, id);
    }
    PyObject *token = made ? PyObject_CallOneArg(made, now) : NULL;
    PyObject *raw = token ? PyObject_GetAttr(token, s_bytes) : NULL;
    int good = raw && PyBytes_Check(raw) && PyBytes_GET_SIZE(raw) == ID_BYTES;
    if (good)
        memcpy(id, PyBytes_AS_STRING(raw), ID_BYTES);
    else if (raw)
        PyErr_SetString(PyExc_TypeError, "a token's id is 16 bytes");
    Py_XDECREF(made);
    Py_XDECREF(token);
    Py_XDECREF(raw);
    return good ? 0 : -1;
}

/* The request's own id where it is fit to be one, else a new one put at *made*; its length. */
static Py_ssize_t choose_request_id(Doorman *self, const Cut *cut, char *made, const char **chosen)
{
    Py_ssize_t length = cut->request_id ? cut->request_id_length : 0;
    if (length > 0 && length <= MOST_REQUEST_ID_CHARS &&
        is_printable(cut->request_id, cut->request_id + length, '!')) {
        *chosen = cut->request_id;
        return length;
    }
    uint64_t number = self->next_request++;
    for (int at = 0; at < 8; at++)
        made[at] = HEX_DIGITS[self->process >> (28 - 4 * at) & 15];
    for (int at = 0; at < 16; at++)
        made[8 + at] = HEX_DIGITS[number >> (60 - 4 * at) & 15];
    *chosen = made;
    return MADE_REQUEST_ID_CHARS;
}

#endif
