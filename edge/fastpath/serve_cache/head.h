/* Splits a head of ``GET /v1/serve?`` into parts, as `head_parts.py` does; its source is the specification. */

#ifndef PLACARD_HEAD_H
#define PLACARD_HEAD_H

#include <Python.h>
#include <string.h>

#define START "GET /v1/serve?"
#define END " HTTP/1.1"
#define MAX_BYTES 8192

typedef struct {
    const char *text;
    Py_ssize_t length;
} Word;

#define WORD(text) {text, sizeof(text) - 1}

static const Word PER_REQUEST_HEADERS[] = {
    WORD("referer"), WORD("cookie"), WORD("x-request-id"), WORD("if-none-match"),
    WORD("if-modified-since"), WORD("x-forwarded-for"), WORD("x-real-ip"), WORD("forwarded"),
    WORD("cf-connecting-ip"), WORD("true-client-ip"), WORD("traceparent"), WORD("tracestate"),
    WORD("cf-ray"), WORD("x-amzn-trace-id"), WORD("x-cloud-trace-context"), {NULL, 0}};
static const Word ASIDE[] = {
    WORD("uid"), WORD("seen"), WORD("segments"), WORD("ip"), WORD("ua"), WORD("debug"),
    WORD("preview_ad"), WORD("key"), WORD("test_scenario"), WORD("test_now"), {NULL, 0}};
static const Word READ[] = {
    WORD("slot"), WORD("keywords"), WORD("format"), WORD("w"), WORD("h"), WORD("output"),
    WORD("lang"), WORD("gdpr"), WORD("gdpr_consent"), WORD("gpp"), WORD("gpp_sid"),
    WORD("us_privacy"), WORD("coppa"), WORD("lgpd"), WORD("npa"), WORD("surface"), WORD("client"),
    {NULL, 0}};
enum { REQUEST_ID = 2, FORWARDED_FOR = 5 }; /* in PER_REQUEST_HEADERS */


static int find(const Word *names, const char *text, Py_ssize_t length)
{
    for (int number = 0; names[number].text; number++)
        if (names[number].length == length && !memcmp(names[number].text, text, length))
            return number;
    return -1;
}

/* The index of a header name in PER_REQUEST_HEADERS, in any case of letters; -1 where it is not one. */
static int find_often_new(const char *text, Py_ssize_t length)
{
    char name[24];
    if (length < 6 || length > 21)
        return -1;
    for (Py_ssize_t at = 0; at < length; at++)
        name[at] = (char)(text[at] >= 'A' && text[at] <= 'Z' ? text[at] + 32 : text[at]);
    return find(PER_REQUEST_HEADERS, name, length);
}

static int is_printable(const char *text, const char *end, int least)
{
    for (; text < end; text++)
        if ((unsigned char)(*text - least) > '~' - least)
            return 0;
    return 1;
}

/* Copies the query parameters that the edge reads to *kept*. Returns their length; -1 for the slow path. */
static Py_ssize_t keep_read(const char *query, const char *end, char *kept)
{
    char *to = kept;
    if (!is_printable(query, end, '!') || memchr(query, '#', end - query))
        return -1;
    for (const char *part = query; part <= end;) {
        const char *stop = memchr(part, '&', end - part);
        if (!stop)
            stop = end;
        const char *equals = memchr(part, '=', stop - part);
        if (equals && equals + 1 < stop) {
            Py_ssize_t length = equals - part;
            if (find(ASIDE, part, length) >= 0 || memchr(part, '%', length) ||
                memchr(part, '+', length))
                return -1;
            if ((length >= 3 && !memcmp(part, "kv.", 3)) || find(READ, part, length) >= 0) {
                if (to != kept)
                    *to++ = '&';
                memcpy(to, part, stop - part);
                to += stop - part;
            }
        }
        part = stop + 1;
    }
    return to - kept;
}

typedef struct {
    Py_ssize_t page_length, stable_length, forwarded_length, request_id_length;
    const char *forwarded_for, *request_id; /* in the head; NULL where there is none */
    char page[MAX_BYTES], stable[MAX_BYTES];
} HeadParts;

/* A search for two bytes compares byte by byte; `memchr` for the first of them compares many at once. */
static const char *find_line_end(const char *text, const char *end)
{
    while ((text = memchr(text, '\r', (size_t)(end - text)))) {
        if (text + 1 < end && text[1] == '\n')
            return text;
        text++;
    }
    return NULL;
}

static int cut_lines(const char *segment, const char *end, HeadParts *parts)
{
    char *to = parts->stable;
    const char *values[16] = {NULL};
    Py_ssize_t lengths[16] = {0};
    int count = 0;
    while (segment) {
        const char *stop = find_line_end(segment, end);
        const char *last = stop ? stop : end;
        const char *colon = memchr(segment, ':', last - segment);
        int number = colon ? find_often_new(segment, colon - segment) : -1;
        if (number < 0) {
            if (count++) {
                *to++ = '\r';
                *to++ = '\n';
            }
            memcpy(to, segment, last - segment);
            to += last - segment;
        } else {
            const char *value = colon + 1;
            if (values[number] || !is_printable(value, last, ' '))
                return 0;
            while (value < last && *value == ' ')
                value++;
            values[number] = value;
            lengths[number] = last - value;
        }
        segment = stop ? stop + 2 : NULL;
    }
    parts->stable_length = to - parts->stable;
    parts->forwarded_for = values[FORWARDED_FOR];
    parts->forwarded_length = lengths[FORWARDED_FOR];
    parts->request_id = values[REQUEST_ID];
    parts->request_id_length = lengths[REQUEST_ID];
    return 1;
}

/* Returns 0 where the slow path must parse the request. */
static int read_head_parts(const char *head, Py_ssize_t length, HeadParts *parts)
{
    Py_ssize_t prefix = sizeof(START) - 1, suffix = sizeof(END) - 1;
    if (length < prefix + suffix || length > MAX_BYTES)
        return 0;
    const char *stop = head + length;
    const char *crlf = find_line_end(head, stop);
    const char *last = crlf ? crlf : stop;
    if (last - head < prefix + suffix || memcmp(last - suffix, END, suffix))
        return 0;
    parts->page_length = keep_read(head + prefix, last - suffix, parts->page);
    if (parts->page_length < 0)
        return 0;
    if (crlf)
        return cut_lines(crlf + 2, stop, parts);
    parts->stable_length = parts->forwarded_length = parts->request_id_length = 0;
    parts->forwarded_for = parts->request_id = NULL;
    return 1;
}

#endif
