/* An ad prepared for one slot (`prepared_ad.py`): the conditions for showing it, and the template of its response. */

#ifndef PLACARD_PREPARED_AD_H
#define PLACARD_PREPARED_AD_H

#include <Python.h>

#include "common/tracking/token_mac.h"

#define PAYLOAD_BYTES 132
#define PAYLOAD_CHARS (PAYLOAD_BYTES / 3 * 4)
#define TAG_CHARS (TAG_BYTES / 3 * 4)
#define ISSUED_AT 10 /* in a token's payload, as `common.tracking.token` lays it out */
#define TOKEN_ID_AT 24
#define ID_BYTES 16
#define ROW_COLUMNS 6

typedef struct {
    const char *text; /* borrowed from `NativeAd.parts`; NULL: a placeholder */
    Py_ssize_t length;
    int placeholder;
} TemplatePart;

typedef struct {
    PyObject_HEAD
    long long generation; /* the snapshot that this state is of; 0: none */
    PyObject *campaign, *campaign_id, *parts, *key;
    PyObject *row; /* a tuple of `ROW_COLUMNS` texts: property, slot, campaign, ad, surface, format */
    uint64_t salt;
    long long expected_micros, pass_ppm;
    char falls_back, closed, spends, commits;
    unsigned char payload[PAYLOAD_BYTES];
    Py_ssize_t part_count;
    Py_ssize_t length; /* of the response without the request id */
    TemplatePart *parts_at;
} NativeAd;

extern PyTypeObject NativeAdType;

extern const char HEX_DIGITS[];

/* Returns the whole HTTP response, for a connection that stays open; NULL with an error set. */
PyObject *render_response(const NativeAd *ad, const unsigned char *token_id, long long now_ms, const char *request_id,
                          Py_ssize_t request_id_length);

#endif
