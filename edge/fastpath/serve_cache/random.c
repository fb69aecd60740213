#include "edge/fastpath/serve_cache/random.h"

#include <sys/random.h>

#include "common/values/python_compat.h"

#define MAX_REQUEST_ID_CHARS 128

int peek_seed(NativeServeCache *self, LookupResult *known)
{
    static PyObject *bits;
    PyObject *ahead = get_attribute(self->edge, &a__next_seed);
    if (!ahead || (!bits && !(bits = PyLong_FromLong(64)))) {
        Py_XDECREF(ahead);
        return -1;
    }
    Py_DECREF(ahead);
    if (ahead != Py_None) {
        known->seed = PyObject_CallMethodNoArgs(self->edge, s_peek_seed);
    } else {
        known->rng = part_of(self, &a_rng);
        known->seed = known->rng ? PyObject_CallMethodOneArg(known->rng, s_getrandbits, bits) : NULL;
        if (!known->seed)
            Py_CLEAR(known->rng);
    }
    return known->seed ? 0 : -1;
}

int take_seed(NativeServeCache *self, LookupResult *known)
{
    if (!known->rng)
        return set_attribute(self->edge, &a__next_seed, Py_None);
    Py_CLEAR(known->rng);
    return 0;
}

int keep_seed(NativeServeCache *self, LookupResult *known)
{
    if (!known->rng)
        return 0;
    PyObject *error = PyErr_GetRaisedException();
    PyObject *kept = PyTuple_Pack(2, known->rng, known->seed);
    int failed = kept ? set_attribute(self->edge, &a__next_seed, kept) : -1;
    Py_XDECREF(kept);
    Py_CLEAR(known->rng);
    if (!failed)
        PyErr_SetRaisedException(error);
    else
        Py_XDECREF(error);
    return failed;
}

/* Drawn from the system `CHANCE_BYTES` at a time. */
const unsigned char *take_chance(NativeServeCache *self, size_t bytes)
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

/* A UUIDv7 of *now_ms*, with 74 random bits. */
static int make_token_id(NativeServeCache *self, long long now_ms, unsigned char *id)
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

int get_token_id(NativeServeCache *self, const LookupResult *known, unsigned char *id)
{
    PyObject *made = part_of(self, &a_new_token_id);
    if (made == self->new_id_at) {
        Py_DECREF(made);
        return make_token_id(self, known->now_ms, id);
    }
    PyObject *token = made ? PyObject_CallOneArg(made, known->now) : NULL;
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

Py_ssize_t choose_request_id(NativeServeCache *self, const HeadParts *parts, char *made, const char **chosen)
{
    Py_ssize_t length = parts->request_id ? parts->request_id_length : 0;
    if (length > 0 && length <= MAX_REQUEST_ID_CHARS &&
        is_printable(parts->request_id, parts->request_id + length, '!')) {
        *chosen = parts->request_id;
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
