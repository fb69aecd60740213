#include "edge/fastpath/serve_cache/head.h"

#include <stddef.h>
#include <string.h>

#define LINE_END " HTTP/1.1"

typedef struct {
    const char *text;
    ssize_t length;
} Word;

#define WORD(text) {text, sizeof(text) - 1}

static const Word PER_REQUEST_HEADERS[] = {
    WORD("referer"), WORD("cookie"), WORD("x-request-id"), WORD("if-none-match"),
    WORD("if-modified-since"), WORD("x-forwarded-for"), WORD("x-real-ip"), WORD("forwarded"),
    WORD("cf-connecting-ip"), WORD("true-client-ip"), WORD("traceparent"), WORD("tracestate"),
    WORD("cf-ray"), WORD("x-amzn-trace-id"), WORD("x-cloud-trace-context"), {NULL, 0}};
#include "edge/fastpath/serve_cache/parameters.inc"
static const Word CONSENT[] = {
    WORD("gdpr"), WORD("gdpr_consent"), WORD("gpp"), WORD("gpp_sid"), WORD("us_privacy"),
    WORD("coppa"), WORD("lgpd"), WORD("npa"), {NULL, 0}};

enum { REQUEST_ID = 2, FORWARDED_FOR = 5 }; /* in PER_REQUEST_HEADERS */
enum { PER_REQUEST_COUNT = sizeof(PER_REQUEST_HEADERS) / sizeof(Word) - 1 };
enum { MIN_NAME_BYTES = 6, MAX_NAME_BYTES = 21 }; /* of PER_REQUEST_HEADERS */

/* The index of *text* in *words*; -1 where it is not one of them. */
static int find_word(const Word *words, const char *text, ssize_t length)
{
    for (int number = 0; words[number].text; number++)
        if (words[number].length == length && !memcmp(words[number].text, text, (size_t)length))
            return number;
    return -1;
}

/* The index of a header name in PER_REQUEST_HEADERS, in any case of letters; -1 where it is not one. */
static int find_per_request_header(const char *text, ssize_t length)
{
    char name[MAX_NAME_BYTES];
    if (length < MIN_NAME_BYTES || length > MAX_NAME_BYTES)
        return -1;
    for (ssize_t at = 0; at < length; at++)
        name[at] = (char)(text[at] >= 'A' && text[at] <= 'Z' ? text[at] + 32 : text[at]);
    return find_word(PER_REQUEST_HEADERS, name, length);
}

int is_printable(const char *text, const char *end, int least)
{
    for (; text < end; text++)
        if ((unsigned char)(*text - least) > '~' - least)
            return 0;
    return 1;
}

/* Appends the parameter from *part* to *stop* to *kept*, which has *length* bytes. Returns their length with it. */
static ssize_t keep_part(char *kept, ssize_t length, const char *part, const char *stop)
{
    if (length)
        kept[length++] = '&';
    memcpy(kept + length, part, (size_t)(stop - part));
    return length + (stop - part);
}

/* Copies the query parameters that the edge reads into page and consent. Returns 0 for the slow path. */
static int split_query(const char *query, const char *end, HeadParts *parts)
{
    parts->page_length = parts->consent_length = 0;
    if (!is_printable(query, end, '!') || memchr(query, '#', (size_t)(end - query)))
        return 0;
    for (const char *part = query; part <= end;) {
        const char *stop = memchr(part, '&', (size_t)(end - part));
        if (!stop)
            stop = end;
        const char *equals = memchr(part, '=', (size_t)(stop - part));
        if (equals && equals + 1 < stop) {
            ssize_t length = equals - part;
            if (find_word(ASIDE, part, length) >= 0 || memchr(part, '%', (size_t)length) ||
                memchr(part, '+', (size_t)length))
                return 0;
            if ((length >= 3 && !memcmp(part, "kv.", 3)) || find_word(READ, part, length) >= 0)
                parts->page_length = keep_part(parts->page, parts->page_length, part, stop);
            else if (find_word(CONSENT, part, length) >= 0)
                parts->consent_length = keep_part(parts->consent, parts->consent_length, part, stop);
        }
        part = stop + 1;
    }
    return 1;
}

/* `memmem` for two bytes compares byte by byte; `memchr` for the first of them compares many at once. */
static const char *find_line_end(const char *text, const char *end)
{
    while ((text = memchr(text, '\r', (size_t)(end - text)))) {
        if (text + 1 < end && text[1] == '\n')
            return text;
        text++;
    }
    return NULL;
}

static int split_lines(const char *line, const char *end, HeadParts *parts)
{
    char *to = parts->stable;
    const char *values[PER_REQUEST_COUNT] = {NULL};
    ssize_t lengths[PER_REQUEST_COUNT] = {0};
    int count = 0;
    while (line) {
        const char *stop = find_line_end(line, end);
        const char *last = stop ? stop : end;
        const char *colon = memchr(line, ':', (size_t)(last - line));
        int number = colon ? find_per_request_header(line, colon - line) : -1;
        if (number < 0) {
            if (count++) {
                *to++ = '\r';
                *to++ = '\n';
            }
            memcpy(to, line, (size_t)(last - line));
            to += last - line;
        } else {
            const char *value = colon + 1;
            if (values[number] || !is_printable(value, last, ' '))
                return 0;
            while (value < last && *value == ' ')
                value++;
            values[number] = value;
            lengths[number] = last - value;
        }
        line = stop ? stop + 2 : NULL;
    }
    parts->stable_length = to - parts->stable;
    parts->forwarded_for = values[FORWARDED_FOR];
    parts->forwarded_length = lengths[FORWARDED_FOR];
    parts->request_id = values[REQUEST_ID];
    parts->request_id_length = lengths[REQUEST_ID];
    return 1;
}

int read_head_parts(const char *head, ssize_t length, HeadParts *parts)
{
    ssize_t prefix = sizeof(SERVE_START) - 1, suffix = sizeof(LINE_END) - 1;
    if (length < prefix + suffix || length > MAX_CACHED_HEAD_BYTES)
        return 0;
    const char *end = head + length;
    const char *request_line_end = find_line_end(head, end);
    const char *last = request_line_end ? request_line_end : end;
    if (last - head < prefix + suffix || memcmp(last - suffix, LINE_END, (size_t)suffix))
        return 0;
    if (!split_query(head + prefix, last - suffix, parts))
        return 0;
    if (request_line_end)
        return split_lines(request_line_end + 2, end, parts);
    parts->stable_length = parts->forwarded_length = parts->request_id_length = 0;
    parts->forwarded_for = parts->request_id = NULL;
    return 1;
}
