/* criterion.h -- Criterion for fuzz targets: what a property test asserts stops the program. */
#ifndef FUZZ_STUB_CRITERION_H
#define FUZZ_STUB_CRITERION_H

/* Criterion's own macros may be called without words. */
#pragma clang diagnostic ignored "-Wgnu-zero-variadic-macro-arguments"

#include <stdio.h>
#include <stdlib.h>

#define Test(suite, name, ...) static void __attribute__((unused)) suite##_##name(void)
#define FUZZ_FAILED(what, ...) \
    ((void)fprintf(stderr, "%s:%d: not so: %s: ", __FILE__, __LINE__, what), (void)fprintf(stderr, " " __VA_ARGS__), \
     abort())
#define cr_assert(x, ...)          ((x) ? (void)0 : FUZZ_FAILED(#x, __VA_ARGS__))
#define cr_assert_not(x, ...)      cr_assert(!(x), __VA_ARGS__)
#define cr_assert_eq(a, b, ...)    cr_assert((a) == (b), __VA_ARGS__)
#define cr_assert_neq(a, b, ...)   cr_assert((a) != (b), __VA_ARGS__)
#define cr_assert_gt(a, b, ...)    cr_assert((a) > (b), __VA_ARGS__)
#define cr_assert_null(x, ...)     cr_assert((x) == NULL, __VA_ARGS__)
#define cr_assert_not_null(x, ...) cr_assert((x) != NULL, __VA_ARGS__)

#endif
