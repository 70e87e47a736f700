#include "run/jobs/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Appends the content of file `fd`, from offset 0, to `to`. */
static void take(int fd, struct text *to)
{
    char bytes[4096];
    ssize_t got;
    for (off_t at = 0; (got = pread(fd, bytes, sizeof bytes, at)) > 0; at += got) {
        text_put(to, bytes, (size_t)got);
    }
}

static int run_with(const char *const *arguments, const char *folder, const int fds[2],
                    struct text *why)
{
    extern char **environ;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, fds[0], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fds[1], STDERR_FILENO);
    if (folder) posix_spawn_file_actions_addchdir_np(&actions, folder);
    pid_t child;
    int status = 0;
    int error = posix_spawnp(&child, arguments[0], &actions, NULL, (char *const *)arguments,
                             environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error) {
        text_add(why, "cannot run %s: %s", arguments[0], strerror(error));
        return -1;
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int spawn_wait(const char *const *arguments, const char *folder, struct text *out, struct text *why)
{
    const int fds[2] = {memfd_create("out", MFD_CLOEXEC), memfd_create("why", MFD_CLOEXEC)};
    int status = -1;
    if (fds[0] < 0 || fds[1] < 0) text_add(why, "cannot make a file for the command's output: %s",
                                           strerror(errno));
    else status = run_with(arguments, folder, fds, why);
    if (status >= 0) {
        take(fds[0], out);
        take(fds[1], why);
    }
    for (int i = 0; i < 2; i++) {
        if (fds[i] >= 0) close(fds[i]);
    }
    return status;
}
