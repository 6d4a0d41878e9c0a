/* temp.h -- files that a test writes.  Every failure fails the test. */
#ifndef TEMP_H
#define TEMP_H

#include <stddef.h>

enum { TEMP_PATH = 64 };

/* A new file; its path in `path`, whoever asked unlinks it. */
void temp_file(char path[TEMP_PATH], const char *text);
void temp_bytes(char path[TEMP_PATH], const void *bytes, size_t n);

/* A new folder; a file in it, made or written anew; and away with both. */
void temp_dir(char path[TEMP_PATH]);
void temp_put(const char *dir, const char *name, const char *text);
void temp_drop(const char *dir);

#endif
