/*
 * fuzz.h -- what fuzz targets share.
 *
 * Each fuzz_NAME.c is a program of its own with LLVMFuzzerTestOneInput.  Those of algorithms include the property
 * test of the same thing and let it draw its case from the input: libFuzzer then looks for inputs whose cases reach
 * new code (bytes.c).
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* All random numbers come from these bytes from now on, whatever stream asks; from a fixed sequence when they end. */
void fuzz_draw_from(const uint8_t *data, size_t n);

/* A file of this process with these bytes; the same path every time. */
const char *fuzz_file(const void *data, size_t n);

#endif
