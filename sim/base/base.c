/* base.c -- how a bug of our own stops the program. */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void base_bug(const char *file, int line, const char *what)
{
    (void)fprintf(stderr, "fairway: internal error at %s:%d: %s\n"
                          "fairway: this is a bug in fairway, not in your input; please report it\n",
                  file, line, what);
    abort();
}
