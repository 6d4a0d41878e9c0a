/*
 * measure.c -- runs a command and prints the processor time that it took, user and system, and its peak memory.
 * usage: measure COMMAND...        prints "SECONDS KIB"; the command's own output goes to standard error
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double seconds(struct timeval t) { return (double)t.tv_sec + (double)t.tv_usec * 1e-6; }

int main(int argc, char **argv)
{
    struct rusage use;
    int status;
    if (argc < 2) return 2;
    pid_t pid = fork();
    if (pid < 0) { perror("measure: fork"); return 3; }
    if (pid == 0) {
        if (dup2(STDERR_FILENO, STDOUT_FILENO) >= 0) (void)execvp(argv[1], argv + 1);
        perror(argv[1]);
        _exit(127);
    }
    if (waitpid(pid, &status, 0) != pid || getrusage(RUSAGE_CHILDREN, &use) != 0) { perror("measure"); return 3; }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return 1;
    (void)printf("%.3f %ld\n", seconds(use.ru_utime) + seconds(use.ru_stime), use.ru_maxrss);
    return 0;
}
