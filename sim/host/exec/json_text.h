/*
 * json_text.h -- a JSON text that grows: what lines of the policy protocol are
 * written with.  Layer: host.
 *
 * Appended as text: most of a run's time with a policy in another process is
 * the making and reading of lines, and a tree of values to print them from
 * would cost several times as much.  O(what is written).
 */
#ifndef HOST_EXEC_JSON_TEXT_H
#define HOST_EXEC_JSON_TEXT_H

#include <string.h>
#include "base/base.h"
#include "base/mem.h"

/* Zero-initialise to begin, reuse by setting n to 0. */
struct json_text { char *s; size_t n, cap; };
void json_text_fini(struct json_text *out);

static inline void json_text_bytes(struct json_text *out, const char *s, size_t n)
{
    MEM_RESERVE(out->s, out->cap, out->n + n);
    memcpy(out->s + out->n, s, n);
    out->n += n;
}

/* As it is. */
static inline void json_text_raw(struct json_text *out, const char *s) { json_text_bytes(out, s, strlen(s)); }
/* In quotes, escaped.  A byte that is not UTF-8 stands for the Latin-1 character it would be. */
void json_text_string(struct json_text *out, const char *s);
void json_text_int(struct json_text *out, int64_t v);
void json_text_uint(struct json_text *out, uint64_t v);
void json_text_number(struct json_text *out, double v);             /* finite; reads back as the same */

/* `"key":`, after a comma unless it comes first in its object; and with a value.  A string that is NULL is left out. */
void json_text_key(struct json_text *out, const char *name);
void json_text_key_int(struct json_text *out, const char *name, int64_t v);
void json_text_key_bool(struct json_text *out, const char *name, bool v);
void json_text_key_string(struct json_text *out, const char *name, const char *v);

/* Between the elements of a list, or the members of an object. */
void json_text_comma(struct json_text *out);
/* A list or an object, by its bracket, under a key, or as the next element (NULL); returns where that begins. */
size_t json_text_begin(struct json_text *out, const char *key, char bracket);
/* Its end; and that of one which is taken back, key and all, if it is empty. */
static inline void json_text_end(struct json_text *out, char bracket) { json_text_bytes(out, &bracket, 1); }
void json_text_end_some(struct json_text *out, size_t begin, char bracket);
void json_text_item_int(struct json_text *out, int64_t v);
/* A name of the user's: escaped. */
void json_text_item_string(struct json_text *out, const char *s);
void json_text_member(struct json_text *out, const char *name);
void json_text_member_int(struct json_text *out, const char *name, int64_t v);

#endif
