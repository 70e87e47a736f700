/* A program works in an overlay of its folder if no write can be lost: the folder belongs to the
 * user and the user's group, or is not writable at all. Otherwise the program works in a copy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "run/cuda/folder.h"

enum { NOBODY = 65534, OTHER = 65533, SKIPPED = 77 };

static char place[] = "/tmp/corun-folder-XXXXXX";

/* True if an overlay is used, for a user who owns the folder or not, and is a member of the
 * folder's group or not. */
static bool is_overlay(bool own_user, bool own_group, unsigned mode)
{
    struct work_folder f;
    struct text why = {0};
    int status;
    assert_int_equal(mkdir("work", 0755), 0);
    assert_int_equal(chown("work", own_user ? NOBODY : OTHER, own_group ? NOBODY : OTHER), 0);
    assert_int_equal(chmod("work", mode), 0);
    pid_t pid = fork();
    if (!pid) {
        if (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY)) _exit(1);
        prctl(PR_SET_DUMPABLE, 1); /* otherwise /proc/self belongs to root */
        bool ok = folder_open(&f, "work", false, &why), overlay = f.overlay;
        if (!ok) fprintf(stderr, "%s\n", text_get(&why));
        folder_close(&f);
        _exit(!ok ? 1 : overlay ? 2 : 0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(rmdir("work"), 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 1);
    return WEXITSTATUS(status) == 2;
}

static void test_owner(void **state)
{
    (void)state;
    if (geteuid()) skip(); /* only root can give folders away */
    if (!is_overlay(true, true, 0755)) skip(); /* this user may not mount */
    assert_false(is_overlay(true, false, 0755));
    assert_false(is_overlay(true, false, 0775));
    assert_false(is_overlay(false, true, 0775));
    assert_false(is_overlay(false, false, 0777));
    assert_true(is_overlay(false, false, 0755));
    assert_true(is_overlay(true, false, 0555));
}

static int make_place(void **state)
{
    (void)state;
    return !mkdtemp(place) || chmod(place, 0755) || chdir(place);
}

static int end_place(void **state)
{
    (void)state;
    return chdir("/") || rmdir(place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_owner)};
    return cmocka_run_group_tests(tests, make_place, end_place);
}
