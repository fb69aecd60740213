/* `split.py` in C: the same answers, without an object a line. Its source is the specification. */

#define _GNU_SOURCE
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

#define START "GET /v1/serve?"
#define END " HTTP/1.1"
#define MOST_BYTES 8192

typedef struct {
    const char *text;
    Py_ssize_t length;
} Name;

#define NAME(text) {text, sizeof(text) - 1}

static const Name OFTEN_NEW[] = {
    NAME("referer"), NAME("cookie"), NAME("x-request-id"), NAME("if-none-match"),
    NAME("if-modified-since"), NAME("x-forwarded-for"), NAME("x-real-ip"), NAME("forwarded"),
    NAME("cf-connecting-ip"), NAME("true-client-ip"), NAME("traceparent"), NAME("tracestate"),
    NAME("cf-ray"), NAME("x-amzn-trace-id"), NAME("x-cloud-trace-context"), {NULL, 0}};
static const Name ASIDE[] = {
    NAME("uid"), NAME("seen"), NAME("segments"), NAME("ip"), NAME("ua"), NAME("debug"),
    NAME("preview_ad"), NAME("key"), {NULL, 0}};
static const Name READ[] = {
    NAME("slot"), NAME("keywords"), NAME("format"), NAME("w"), NAME("h"), NAME("output"),
    NAME("lang"), NAME("gdpr"), NAME("gdpr_consent"), NAME("gpp"), NAME("gpp_sid"),
    NAME("us_privacy"), NAME("coppa"), NAME("lgpd"), NAME("npa"), {NULL, 0}};
enum { REQUEST_ID = 2, FORWARDED_FOR = 5 }; /* in OFTEN_NEW */

static unsigned char lower[256];

static int find(const Name *names, const char *text, Py_ssize_t length)
{
    for (int number = 0; names[number].text; number++)
        if (names[number].length == length && !memcmp(names[number].text, text, length))
            return number;
    return -1;
}

/* Of a header's name in any spelling. */
static int find_often_new(const char *text, Py_ssize_t length)
{
    char name[24];
    if (length < 6 || length > 21)
        return -1;
    for (Py_ssize_t at = 0; at < length; at++)
        name[at] = (char)lower[(unsigned char)text[at]];
    return find(OFTEN_NEW, name, length);
}

static int is_printable(const char *text, const char *end, int least)
{
    for (; text < end; text++)
        if ((unsigned char)(*text - least) > '~' - least)
            return 0;
    return 1;
}

/* What of a query is read, put at *kept*; its length, or -1 where the call is to be read whole. */
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

static PyObject *split_lines(const char *line, const char *end, const char *page, Py_ssize_t page_length)
{
    char steady[MOST_BYTES];
    char *to = steady;
    const char *values[16] = {NULL};
    Py_ssize_t lengths[16] = {0};
    int count = 0;
    while (line) {
        const char *stop = memmem(line, end - line, "\r\n", 2);
        const char *last = stop ? stop : end;
        const char *colon = memchr(line, ':', last - line);
        int number = colon ? find_often_new(line, colon - line) : -1;
        if (number < 0) {
            if (count++) {
                *to++ = '\r';
                *to++ = '\n';
            }
            memcpy(to, line, last - line);
            to += last - line;
        } else {
            const char *value = colon + 1;
            if (values[number] || !is_printable(value, last, ' '))
                Py_RETURN_NONE;
            while (value < last && *value == ' ')
                value++;
            values[number] = value;
            lengths[number] = last - value;
        }
        line = stop ? stop + 2 : NULL;
    }
    PyObject *request_id = Py_None;
    if (values[REQUEST_ID])
        request_id = PyBytes_FromStringAndSize(values[REQUEST_ID], lengths[REQUEST_ID]);
    else
        Py_INCREF(request_id);
    return Py_BuildValue("(y#y#y#N)", page, page_length, steady, (Py_ssize_t)(to - steady),
                         values[FORWARDED_FOR] ? values[FORWARDED_FOR] : "",
                         lengths[FORWARDED_FOR], request_id);
}

static PyObject *split_head(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    char page[MOST_BYTES];
    if (count != 3 || !PyBytes_Check(args[0]))
        return PyErr_Format(PyExc_TypeError, "split_head takes bytes, start and end");
    Py_ssize_t start = PyLong_AsSsize_t(args[1]), end = PyLong_AsSsize_t(args[2]);
    if (PyErr_Occurred())
        return NULL;
    Py_ssize_t whole = PyBytes_GET_SIZE(args[0]);
    Py_ssize_t prefix = sizeof(START) - 1, suffix = sizeof(END) - 1;
    if (start < 0 || end > whole || end - start < prefix + suffix || end - start > MOST_BYTES)
        Py_RETURN_NONE;
    const char *head = PyBytes_AS_STRING(args[0]) + start, *stop = head + (end - start);
    const char *crlf = memmem(head, stop - head, "\r\n", 2);
    const char *last = crlf ? crlf : stop;
    if (last - head < prefix + suffix || memcmp(last - suffix, END, suffix))
        Py_RETURN_NONE;
    Py_ssize_t length = keep_read(head + prefix, last - suffix, page);
    if (length < 0)
        Py_RETURN_NONE;
    if (!crlf)
        return Py_BuildValue("(y#yyO)", page, length, "", "", Py_None);
    return split_lines(crlf + 2, stop, page, length);
}

static PyMethodDef METHODS[] = {
    {"split_head", (PyCFunction)(void (*)(void))split_head, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL}};
static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "split", NULL, -1, METHODS};

PyMODINIT_FUNC PyInit_split(void)
{
    for (int at = 0; at < 256; at++)
        lower[at] = (unsigned char)(at >= 'A' && at <= 'Z' ? at + 32 : at);
    PyObject *module = PyModule_Create(&MODULE);
    if (!module)
        return NULL;
    if (PyModule_AddObjectRef(module, "Split", (PyObject *)&PyTuple_Type) ||
        PyModule_AddObject(module, "START", PyBytes_FromString(START))) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
