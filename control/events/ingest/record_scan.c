#define _GNU_SOURCE
#include "control/events/ingest/record_scan.h"

#include <stddef.h>
#include <string.h>

typedef struct {
    const char *at, *end;
} Cursor;

#define SKIP(cursor, text) skip(cursor, text, sizeof(text) - 1)

static int skip(Cursor *cursor, const char *text, ssize_t size)
{
    if (cursor->end - cursor->at < size || memcmp(cursor->at, text, (size_t)size))
        return 0;
    cursor->at += size;
    return 1;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads *bytes* bytes in hexadecimal, packed into *into* unless that is NULL. */
static int hex(Cursor *cursor, ssize_t bytes, unsigned char *into)
{
    if (cursor->end - cursor->at < 2 * bytes)
        return 0;
    for (ssize_t n = 0; n < bytes; n++, cursor->at += 2) {
        int high = hex_digit(cursor->at[0]), low = hex_digit(cursor->at[1]);
        if (high < 0 || low < 0)
            return 0;
        if (into)
            into[n] = (unsigned char)(high << 4 | low);
    }
    return 1;
}

/* Skips hexadecimal digits and a closing quotation mark; returns the number of bytes, -1 if malformed. */
static ssize_t quoted_hex(Cursor *cursor)
{
    const char *start = cursor->at;
    while (cursor->at < cursor->end && hex_digit(*cursor->at) >= 0)
        cursor->at++;
    ssize_t size = cursor->at - start;
    return size % 2 == 0 && SKIP(cursor, "\"") ? size / 2 : -1;
}

static int uuid(Cursor *cursor, unsigned char *into)
{
    return hex(cursor, 4, into) && SKIP(cursor, "-") && hex(cursor, 2, into + 4) && SKIP(cursor, "-") &&
           hex(cursor, 2, into + 6) && SKIP(cursor, "-") && hex(cursor, 2, into + 8) && SKIP(cursor, "-") &&
           hex(cursor, 6, into + 10);
}

/* Reads a number of *least* to *most* digits, without a leading zero; *most* is 18 or less. */
static int count(Cursor *cursor, int least, int most, long long *value)
{
    const char *start = cursor->at;
    long long found = 0;
    while (cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9' && cursor->at - start < most)
        found = found * 10 + (*cursor->at++ - '0');
    ssize_t size = cursor->at - start;
    *value = found;
    return size >= least && (size == 1 || *start != '0');
}

static int digits(Cursor *cursor)
{
    const char *start = cursor->at;
    while (cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9')
        cursor->at++;
    return cursor->at > start;
}

/* Skips text without JSON escapes, and the closing quotation mark. */
static int plain(Cursor *cursor)
{
    while (cursor->at < cursor->end && *cursor->at >= ' ' && *cursor->at <= '~' && *cursor->at != '"' &&
           *cursor->at != '\\')
        cursor->at++;
    return SKIP(cursor, "\"");
}

static int word(Cursor *cursor)
{
    const char *start = cursor->at;
    while (cursor->at < cursor->end && ((*cursor->at >= 'a' && *cursor->at <= 'z') || *cursor->at == '_'))
        cursor->at++;
    return cursor->at > start && SKIP(cursor, "\"");
}

static int text(Cursor *cursor)
{
    return SKIP(cursor, "null") || (SKIP(cursor, "\"") && plain(cursor));
}

/* Skips null, or quoted text with escaped quotation marks and backslashes. */
static int escaped(Cursor *cursor)
{
    if (SKIP(cursor, "null"))
        return 1;
    if (!SKIP(cursor, "\""))
        return 0;
    while (cursor->at < cursor->end && *cursor->at >= ' ' && *cursor->at <= '~' && *cursor->at != '"') {
        if (*cursor->at == '\\' &&
            (++cursor->at == cursor->end || (*cursor->at != '"' && *cursor->at != '\\')))
            return 0;
        cursor->at++;
    }
    return SKIP(cursor, "\"");
}

static int country(Cursor *cursor)
{
    if (SKIP(cursor, "null"))
        return 1;
    if (!SKIP(cursor, "\""))
        return 0;
    const char *start = cursor->at;
    return word(cursor) && cursor->at - start == 3 && start[0] != '_' && start[1] != '_';
}

/* Finds a quoted network; for null, its size is 0 and *from* is NULL. */
static int network(Cursor *cursor, Piece *found)
{
    found->from = NULL;
    found->size = 0;
    if (SKIP(cursor, "null"))
        return 1;
    if (!SKIP(cursor, "\""))
        return 0;
    found->from = cursor->at;
    while (cursor->at < cursor->end &&
           (hex_digit(*cursor->at) >= 0 || *cursor->at == '.' || *cursor->at == '/' || *cursor->at == ':'))
        cursor->at++;
    found->size = cursor->at - found->from;
    return found->size > 0 && SKIP(cursor, "\"");
}

static int client(Cursor *cursor, Piece *found)
{
    found->from = NULL;
    found->size = 0;
    if (SKIP(cursor, "null"))
        return 1;
    if (!SKIP(cursor, "\""))
        return 0;
    found->from = cursor->at;
    ssize_t bytes = quoted_hex(cursor);
    found->size = 2 * bytes;
    return bytes >= 1 && bytes <= 16;
}

static int person(Cursor *cursor, unsigned char *into, int *known)
{
    *known = !SKIP(cursor, "null");
    return !*known || (SKIP(cursor, "\"") && hex(cursor, 8, into) && SKIP(cursor, "\""));
}

static Piece since(const char *start, const Cursor *cursor)
{
    return (Piece){start, cursor->at - start};
}

static const char AFTER_SHARED[] = ",\"snapshot_version\":";

static int scan_envelope(Cursor *c, ScannedRecord *found)
{
    if (!SKIP(c, "{\"v\":1,"))
        return 0;
    const char *start = c->at;
    if (!(SKIP(c, "\"edge\":\"") && plain(c) && SKIP(c, ",\"boot\":\"") && plain(c)))
        return 0;
    found->writer = since(start, c);
    return SKIP(c, ",\"seq\":") && count(c, 1, 18, &found->sequence) && SKIP(c, ",\"key\":\"") && quoted_hex(c) >= 0 &&
           SKIP(c, ",\"t\":\"event\",\"body\":{");
}

static int scan_token(Cursor *c, ScannedRecord *found)
{
    const char *start = c->at;
    if (!(SKIP(c, "\"kind\":\"") && word(c) && SKIP(c, ",")))
        return 0;
    found->shared[0] = since(start, c);
    if (!(SKIP(c, "\"token_id\":\"") && uuid(c, found->token_id) && SKIP(c, "\",\"issued_ms\":") &&
          count(c, 13, 13, &found->issued_ms) && SKIP(c, ",\"at_ms\":") && count(c, 13, 13, &found->at_ms) &&
          SKIP(c, ",")))
        return 0;
    start = c->at;
    const char *behind = memmem(start, (size_t)(c->end - start), AFTER_SHARED, sizeof(AFTER_SHARED) - 1);
    if (!behind)
        return 0;
    c->at = behind + 1;
    found->shared[1] = since(start, c);
    return SKIP(c, "\"snapshot_version\":") && count(c, 1, 18, &found->snapshot_version);
}

static int scan_facts(Cursor *c, ScannedRecord *found)
{
    if (!(SKIP(c, ",\"facts\":{\"ip_prefix\":") && network(c, &found->network) && SKIP(c, ",")))
        return 0;
    const char *start = c->at;
    if (!(SKIP(c, "\"user_agent_family\":") && text(c) && SKIP(c, ",\"user_agent_major\":") && text(c) &&
          (!SKIP(c, ",\"user_agent_pattern\":") || escaped(c))))
        return 0;
    found->agent = since(start, c);
    return SKIP(c, ",\"referrer_origin\":") && text(c) && SKIP(c, ",\"origin\":") && text(c) &&
           SKIP(c, ",\"client_hash\":") && client(c, &found->client) && SKIP(c, ",\"prefetch\":") &&
           (SKIP(c, "true") || SKIP(c, "false")) && SKIP(c, "},");
}

static int scan_verdict(Cursor *c, ScannedRecord *found)
{
    const char *start = c->at;
    if (!(SKIP(c, "\"reason\":\"") && word(c) && SKIP(c, ",\"judge_version\":") && digits(c) && SKIP(c, ",")))
        return 0;
    found->shared[2] = since(start, c);
    if (!SKIP(c, "\"value_cents\":null,\"currency\":null,\"order_id\":null,"))
        return 0;
    start = c->at;
    if (!(SKIP(c, "\"country\":") && country(c) && SKIP(c, ",\"device\":") &&
          (SKIP(c, "null") || (SKIP(c, "\"") && word(c)))))
        return 0;
    found->country_and_device = since(start, c);
    return SKIP(c, ",\"person\":") && person(c, found->person, &found->has_person) && SKIP(c, ",");
}

static int scan_signs(Cursor *c, ScannedRecord *found)
{
    const char *start = c->at;
    if (!(SKIP(c, "\"signs\":") && (SKIP(c, "null") || digits(c)) && SKIP(c, ",\"lists_version\":") && text(c) &&
          (!SKIP(c, ",\"live_reason\":") || SKIP(c, "null") || (SKIP(c, "\"") && word(c))) &&
          (!SKIP(c, ",\"held_until_day\":") || digits(c))))
        return 0;
    found->shared[3] = since(start, c);
    return SKIP(c, "}}") && c->at == c->end;
}

int scan_record(const char *record, ssize_t size, ScannedRecord *found)
{
    Cursor cursor = {record, record + size};
    return scan_envelope(&cursor, found) && scan_token(&cursor, found) && scan_facts(&cursor, found) &&
           scan_verdict(&cursor, found) && scan_signs(&cursor, found);
}
