/* fuzz_wire.c -- what a policy in another process may send: the first answer, then lines of decisions and queries. */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>
#include "host/exec/reply.h"

static void check(const char *error)
{
    if (error[0] == '\0') abort(); /* refused without a word */
}

static void hello(const char *line, size_t n)
{
    char error[REPLY_ERROR_MAX] = "";
    struct reply_hello h;
    if (reply_hello(&h, line, n, error)) reply_hello_fini(&h);
    else check(error);
}

static void answer(struct reply *r, const char *line, size_t n)
{
    char error[REPLY_ERROR_MAX] = "";
    struct reply_decision what;
    struct reply_state state;
    if (!reply_open(r, line, n, error)) {
        check(error);
        return;
    }
    while (r->next < r->n)
        if (!reply_next(r, &what, error)) {
            check(error);
            return;
        }
    while (r->next_state < r->n_states)
        if (!reply_next_state(r, &state, error)) {
            check(error);
            return;
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct reply r = { .host = NULL };
    bool is_first = true;
    for (const char *at = (const char *)data; n > 0; is_first = false) {
        const char *end = memchr(at, '\n', n);
        size_t len = end != NULL ? (size_t)(end - at) : n;
        if (is_first) hello(at, len);
        answer(&r, at, len);
        size_t used = end != NULL ? len + 1 : len;
        at += used;
        n -= used;
    }
    reply_fini(&r);
    return 0;
}
