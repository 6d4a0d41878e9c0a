/*
 * jsonout.h -- JSON written by jansson: text of anyone, numbers that may be missing.  Layer: base.
 *
 * Values are made here, put together by jansson, and printed by jsonout_print.  What streams more than a tree
 * could hold writes its own brackets, and its strings by jsonout_string.
 */
#ifndef BASE_JSONOUT_H
#define BASE_JSONOUT_H

#include <jansson.h>
#include <stdio.h>
#include "base/base.h"

/* A string; NULL: null.  Each byte that is not UTF-8, which jansson would refuse, becomes U+FFFD. */
json_t *jsonout_text(const char *s);
/* null where it is not finite; whole numbers without a point. */
json_t *jsonout_number(double x);
/* 12 digits for what is not whole; control characters of any kind escaped.  Takes the value. */
void jsonout_print(json_t *j, size_t flags, FILE *to);
/* For the script of a page: no '<' occurs, so that no text can end it. */
void jsonout_print_in_script(json_t *j, FILE *to);
/* jsonout_text, printed. */
void jsonout_string(const char *s, FILE *to);

#endif
