/*
 * child.h -- a program beside this one, with which lines of text are exchanged.  Layer: host.
 *
 * The command runs under `sh -c` in a process group of its own; its standard
 * input and output are pipes to us, its standard error is ours.  Nothing here
 * waits without a limit, a closed pipe is a value and never a signal, and a
 * child that was started is reaped by child_end.  If this program is killed,
 * the child reads the end of its input.
 */
#ifndef HOST_EXEC_CHILD_H
#define HOST_EXEC_CHILD_H

#include "base/base.h"

struct child;

enum child_io {
    CHILD_OK,
    CHILD_CLOSED,       /* its end of the pipe is closed: as a rule it ended */
    CHILD_BROKEN,       /* the system could not write or read: errno */
    CHILD_SILENT,       /* the deadline came first */
    CHILD_LONG          /* a line longer than CHILD_LINE_MAX */
};
enum { CHILD_LINE_MAX = 64 << 20 };

/*
 * Start a shell command.
 *   dir   its working directory; NULL or "": ours
 *   error [cap] out: what is wrong, on failure
 * Returns NULL when no process could be made.  A command that cannot be found
 * is known only later: the shell ends with status 127.
 */
struct child *child_start(const char *command, const char *dir, char *error, size_t cap);

/* Wall-clock time in microseconds, for deadlines. */
int64_t child_clock(void);

/* Write all n bytes. */
enum child_io child_write(struct child *c, const char *p, size_t n, int64_t deadline);
/* The next line without its end; borrowed until the next call.  An unended last line counts as a line. */
enum child_io child_read(struct child *c, const char **line, size_t *n, int64_t deadline);
uint64_t child_lines(const struct child *c);        /* read so far */

/*
 * Close the child's input, wait up to grace_us for it to end by itself, then
 * kill it and all that it started, whatever group or session that is in, reap them and free c.
 *   how  [cap] out: "exited with status 3", "was killed by signal 11", "did not end and was killed"
 * True when it ended by itself with status 0.
 */
bool child_end(struct child *c, int64_t grace_us, char *how, size_t cap);

#endif
