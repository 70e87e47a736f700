/* A folder is emptied for every kind of entry, except below mount points: users' files stay. Each
 * test works in a separate process with permission to mount: as root, or in a user namespace of an
 * ordinary user. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "run/io/removal.h"

#define NEED(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: not %s: %m\n", __LINE__, #condition);                        \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)
enum { SKIPPED = 77, NOBODY = 65534 };

/* Holds `users`, whose files stay, and `copy`. */
static char folder[] = "/tmp/corun-removal-XXXXXX";

static bool is_there(const char *path) { return !access(path, F_OK); }

static void put(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    NEED(fd >= 0 && write(fd, "precious", 8) == 8 && !close(fd));
}

static int empty(char *left, size_t room)
{
    struct text first = {0};
    int fd = open("copy", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    NEED(fd >= 0);
    int why = removal_empty(fd, &first);
    close(fd);
    snprintf(left, room, "%s", text_get(&first));
    text_free(&first);
    return why;
}

static void need_left(int why, const char *path)
{
    char left[256];
    int is = empty(left, sizeof left);
    if (is != why || strcmp(left, path)) {
        fprintf(stderr, "%s stays: %s; expected %s: %s\n", left, strerror(is), path, strerror(why));
        _exit(1);
    }
}

/* ---- processes of the tests ---- */

static void be_ordinary(void)
{
    if (geteuid()) return;
    NEED(!chown(".", NOBODY, NOBODY) && !chown("users", NOBODY, NOBODY));
    NEED(!chown("copy", NOBODY, NOBODY) && !chown("users/file", NOBODY, NOBODY));
    NEED(!setresgid(NOBODY, NOBODY, NOBODY) && !setresuid(NOBODY, NOBODY, NOBODY));
    NEED(!prctl(PR_SET_DUMPABLE, 1)); /* otherwise /proc/self belongs to root */
}

static void put_line(const char *path, const char *line)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    NEED(fd >= 0 && write(fd, line, strlen(line)) == (ssize_t)strlen(line) && !close(fd));
}

static void may_mount(bool ordinary)
{
    char user[64], group[64];
    snprintf(user, sizeof user, "0 %u 1", geteuid());
    snprintf(group, sizeof group, "0 %u 1", getegid());
    bool alone = !ordinary && !unshare(CLONE_NEWNS);
    if (!alone && unshare(CLONE_NEWUSER | CLONE_NEWNS)) _exit(SKIPPED);
    if (!alone) {
        put_line("/proc/self/setgroups", "deny");
        put_line("/proc/self/uid_map", user);
        put_line("/proc/self/gid_map", group);
    }
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)) _exit(SKIPPED);
}

/* System calls with these numbers do not exist, as on an older kernel. */
static void without(int one, int two)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)one, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)two, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) _exit(SKIPPED);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) _exit(SKIPPED);
}

static void in_process(void (*work)(void), bool ordinary)
{
    int status;
    NEED(!mkdir("users", 0755) && !mkdir("copy", 0755));
    put("users/file");
    pid_t pid = fork();
    if (!pid) {
        if (ordinary) be_ordinary();
        work();
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(is_there("users/file")); /* in every case */
    /* in a process without the mounts */
    assert_int_equal(system("chmod -R u+rwx users copy; rm -r users copy"), 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED) skip();
    assert_int_equal(status, 0);
}

/* ---- contents of the folder ---- */

static void entries(void)
{
    struct stat s;
    NEED(!mkdir("copy/a", 0755) && !mkdir("copy/a/b", 0755) && !mkdir("copy/empty", 0));
    put("copy/file");
    put("copy/a/b/file");
    NEED(!chmod("copy/file", 0) && !mkfifo("copy/pipe", 0600));
    NEED(!symlink("../users", "copy/link") && !symlink("../../../users", "copy/a/b/link"));
    NEED(!symlink("nowhere", "copy/a/dangling") && !link("users/file", "copy/hard"));
    NEED(!chmod("users", 0500));
    need_left(0, "");
    NEED(is_there("users/file") && !stat("users", &s) && (s.st_mode & 0777) == 0500);
}

/* Folders without read, search or write permission for their owner. */
static void locked(void)
{
    static const unsigned modes[] = {0, 0100, 0200, 0300, 0400, 0500, 0600};
    char path[64];
    for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++) {
        snprintf(path, sizeof path, "copy/%u", i);
        NEED(!mkdir(path, 0755));
        strcat(path, "/inner");
        NEED(!mkdir(path, 0755));
        strcat(path, "/file");
        put(path);
        *strrchr(path, '/') = 0;
        NEED(!chmod(path, modes[i]));
        *strrchr(path, '/') = 0;
        NEED(!chmod(path, modes[i]));
    }
    NEED(!chmod("copy", 0500));
    need_left(0, "");
}

static void mounts(void)
{
    NEED(!mkdir("copy/a", 0755) && !mkdir("copy/a/here", 0755) && !mkdir("copy/a/also", 0755));
    put("copy/a/also/file");
    NEED(!mount("users", "copy/a/here", NULL, MS_BIND, NULL) && !chmod("users", 0500));
    need_left(EBUSY, "/a/here");
    struct stat s;
    NEED(is_there("users/file") && !stat("users", &s) && (s.st_mode & 0777) == 0500);
    NEED(!is_there("copy/a/also"));
    NEED(!umount2("copy/a/here", MNT_DETACH));
    need_left(0, "");
}

static void mounted_bind(void)
{
    may_mount(false);
    mounts();
}

static void mounted_by_ordinary(void)
{
    may_mount(true);
    mounts();
}

static void mounted_file(void)
{
    may_mount(false);
    put("copy/file");
    put("copy/other");
    NEED(!mount("users/file", "copy/file", NULL, MS_BIND, NULL));
    need_left(EBUSY, "/file");
    NEED(is_there("users/file") && !is_there("copy/other"));
}

static void mounted_memory(void)
{
    may_mount(false);
    NEED(!mkdir("copy/memory", 0755) && !mount("none", "copy/memory", "tmpfs", 0, NULL));
    put("copy/memory/file");
    NEED(!symlink("memory", "copy/link"));
    need_left(EBUSY, "/memory");
    NEED(is_there("copy/memory/file") && !is_there("copy/link"));
}

/* A mount covers the folder itself after its opening. */
static void covered(void)
{
    struct text left = {0};
    may_mount(false);
    put("copy/below");
    int fd = open("copy", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    NEED(fd >= 0 && !mount("users", "copy", NULL, MS_BIND, NULL));
    NEED(!removal_empty(fd, &left) && is_there("copy/file"));
    NEED(!umount2("copy", MNT_DETACH) && !is_there("copy/below"));
}

static void old_kernel(void)
{
    may_mount(false);
    without(SYS_openat2, SYS_openat2);
    mounts();
}

static void older_kernel(void)
{
    may_mount(false);
    without(SYS_openat2, SYS_statx);
    mounts();
}

/* No information tells whether a folder is a mount point. */
static void blind(void)
{
    may_mount(false);
    NEED(!mkdir("copy/here", 0755));
    NEED(!mount("users", "copy/here", NULL, MS_BIND, NULL));
    put("copy/file");
    NEED(!mount("none", "/proc", "tmpfs", 0, NULL));
    without(SYS_openat2, SYS_statx);
    need_left(ENOSYS, "/here");
    NEED(is_there("users/file") && !is_there("copy/file"));
}

#define TEST(name, ordinary)                                                                       \
    static void test_##name(void **state)                                                          \
    {                                                                                              \
        (void)state;                                                                               \
        in_process(name, ordinary);                                                                \
    }
TEST(entries, false)
TEST(locked, true)
TEST(mounted_bind, false)
TEST(mounted_by_ordinary, true)
TEST(mounted_file, false)
TEST(mounted_memory, false)
TEST(covered, false)
TEST(old_kernel, false)
TEST(older_kernel, false)
TEST(blind, false)

static int make_folder(void **state)
{
    (void)state;
    return !mkdtemp(folder) || chdir(folder);
}

static int end_folder(void **state)
{
    (void)state;
    return chdir("/") || rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entries), cmocka_unit_test(test_locked),
        cmocka_unit_test(test_mounted_bind), cmocka_unit_test(test_mounted_by_ordinary),
        cmocka_unit_test(test_mounted_file), cmocka_unit_test(test_mounted_memory),
        cmocka_unit_test(test_covered), cmocka_unit_test(test_old_kernel),
        cmocka_unit_test(test_older_kernel), cmocka_unit_test(test_blind),
    };
    return cmocka_run_group_tests(tests, make_folder, end_folder);
}
