#include "ref/temp.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char template[] = "/tmp/fairway-test-XXXXXX";

void temp_bytes(char path[TEMP_PATH], const void *bytes, size_t n)
{
    memcpy(path, template, sizeof template);
    int fd = mkstemp(path);
    cr_assert(fd >= 0);
    cr_assert_eq(write(fd, bytes, n), (ssize_t)n);
    (void)close(fd);
}

void temp_file(char path[TEMP_PATH], const char *text) { temp_bytes(path, text, strlen(text)); }

void temp_dir(char path[TEMP_PATH])
{
    memcpy(path, template, sizeof template);
    cr_assert_not_null(mkdtemp(path));
}

void temp_put(const char *dir, const char *name, const char *text)
{
    char path[2 * TEMP_PATH];
    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f);
    (void)fputs(text, f);
    cr_assert_eq(fclose(f), 0);
}

void temp_drop(const char *dir)
{
    char cmd[TEMP_PATH + 16];
    (void)snprintf(cmd, sizeof cmd, "rm -rf %s", dir);
    cr_expect_eq(system(cmd), 0);
}
