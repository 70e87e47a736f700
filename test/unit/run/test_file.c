/* Files are written whole or not at all, devices are written to, and nothing is left beside. */
#include <setjmp.h>
#include <stdarg.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "run/file.h"

static char folder[] = "/tmp/corun-file-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return !mkdtemp(folder) || chdir(folder);
}

static int remove_folder(void **state)
{
    (void)state;
    return chdir("/") || rmdir(folder);
}

static u32 entries(void)
{
    u32 n = 0;
    DIR *d = opendir(".");
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static void holds(const char *path, const char *want)
{
    char *bytes;
    size_t size;
    struct text why = {0};
    assert_true(file_read(path, &bytes, &size, &why));
    assert_int_equal(size, strlen(want));
    assert_memory_equal(bytes, want, size);
    free(bytes);
}

static void test_write(void **state)
{
    (void)state;
    struct fail fail = {0};
    assert_true(file_write("a", "one", 3, &fail));
    assert_true(file_write("a", "four", 4, &fail));
    holds("a", "four");
    struct stat st;
    assert_int_equal(symlink("a", "link"), 0);
    assert_true(file_write("link", "five!", 5, &fail));
    holds("a", "five!");
    assert_int_equal(lstat("link", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(entries(), 2);
    unlink("link");
    unlink("a");
}

static void test_refused(void **state)
{
    (void)state;
    struct fail fail = {0};
    assert_false(file_write("nowhere/a", "one", 3, &fail));
    assert_false(file_writable("nowhere/a", &fail));
    assert_false(file_writable(".", &fail));
    assert_int_equal(fail.error_n, 3);
    assert_non_null(strstr(fail.text.bytes, "nowhere/a"));
    assert_int_equal(entries(), 0);
    assert_true(file_writable("new", &fail));
    assert_int_equal(entries(), 0);
    fail_free(&fail);
}

static void test_devices(void **state)
{
    (void)state;
    struct fail fail = {0};
    assert_true(file_write("/dev/null", "one", 3, &fail));
    struct stat st;
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
    assert_false(file_write("/dev/full", "one", 3, &fail));
    assert_non_null(strstr(fail.text.bytes, "No space left"));
    fail_free(&fail);
}

static void test_read(void **state)
{
    (void)state;
    char *bytes;
    size_t size;
    struct text why = {0};
    assert_false(file_read(".", &bytes, &size, &why));
    assert_non_null(strstr(why.bytes, "directory"));
    why.size = 0;
    assert_false(file_read("nowhere", &bytes, &size, &why));
    assert_non_null(strstr(why.bytes, "No such file"));
    text_free(&why);
    struct fail fail = {0};
    assert_true(file_write("empty", "", 0, &fail));
    holds("empty", "");
    unlink("empty");
}

static void test_beside(void **state)
{
    (void)state;
    struct text t = {0};
    file_beside("dir/app.yaml", "x.ptx", &t);
    text_put(&t, " ", 1);
    file_beside("app.yaml", "x.ptx", &t);
    text_put(&t, " ", 1);
    file_beside("dir/app.yaml", "/x.ptx", &t);
    assert_string_equal(t.bytes, "dir/x.ptx x.ptx /x.ptx");
    text_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_write), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_devices), cmocka_unit_test(test_read),
                                       cmocka_unit_test(test_beside)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
