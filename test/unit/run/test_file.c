/* Files are written completely or not at all, devices are written directly, and no temporary files
 * remain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "run/io/file.h"
#include "run/io/output.h"
#include "folder.h"

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
    assert_false(file_writable("nowhere/a", NULL, 0, &fail));
    assert_false(file_writable(".", NULL, 0, &fail));
    assert_int_equal(fail.error_n, 3);
    assert_non_null(strstr(fail.text.bytes, "nowhere/a"));
    assert_int_equal(entries(), 0);
    assert_true(file_writable("new", NULL, 0, &fail));
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
    why.size = 0;
    assert_false(file_read("/dev/zero", &bytes, &size, &why));
    assert_non_null(strstr(why.bytes, "device"));
    int ends[2];
    char path[32];
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    why.size = 0;
    assert_false(file_read(path, &bytes, &size, &why));
    assert_non_null(strstr(why.bytes, "pipe"));
    close(ends[0]);
    close(ends[1]);
    text_free(&why);
    struct fail fail = {0};
    assert_true(file_write("empty", "", 0, &fail));
    holds("empty", "");
    unlink("empty");
}

static void below(const char *path, const char *above, bool want)
{
    if (file_is_below(path, above) != want) fail_msg("%s below %s: not %d", path, above, want);
}

static void test_below(void **state)
{
    (void)state;
    assert_int_equal(mkdir("in", 0777) + mkdir("inner", 0777), 0);
    assert_int_equal(symlink("../inner", "in/link"), 0);
    below("in/a", "in", true);
    below("in/../in/a", "./in", true);
    below("in/a", ".", true);
    below("a", "/", true);
    below("in/../a", "in", false);
    below("inner/a", "in", false);
    below("in/link/a", "in", false);
    below("in/link/a", "inner", true);
    below("/tmp", "in", false);
    below("in/nowhere/a", "in", true); /* not writable anyway */
    unlink("in/link");
    rmdir("in");
    rmdir("inner");
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

static void is_the_same(const char *a, const char *b)
{
    struct text one = {0}, two = {0};
    file_identity(a, &one);
    file_identity(b, &two);
    assert_string_equal(one.bytes, two.bytes);
    assert_true(one.bytes[0] == '/');
    text_free(&one);
    text_free(&two);
}

static void test_identity(void **state)
{
    (void)state;
    is_the_same("a", "./a"); /* no such file */
    assert_int_equal(mkdir("d", 0777), 0);
    is_the_same("a", "d/../a");
    is_the_same("/tmp", "/tmp/.");
    is_the_same("/nosuch", "/./nosuch");
    assert_int_equal(symlink("d", "link"), 0);
    is_the_same("d/a", "link/a");
    unlink("link");
    rmdir("d");
}

static struct output to(const char *what, const char *path) { return output_option(what, path); }

static void put(const char *path)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fclose(f);
}

static void refuses(const struct output *outputs, u32 n, const char *message)
{
    struct fail fail = {0};
    assert_false(outputs_check(outputs, n, &fail));
    assert_int_equal(fail.error_n, 1);
    if (!strstr(fail.text.bytes, message)) fail_msg("%s", fail.text.bytes);
    fail_free(&fail);
}

static void test_outputs(void **state)
{
    (void)state;
    struct fail fail = {0};
    struct output good[] = {to("--json", "a"), to("--csv", NULL), to("--text", "b"),
                            to("--timeline", "/dev/null"), to("--html", "/dev/null"), to("x", "-")};
    reads_note("/dev/null");
    assert_true(outputs_check(good, COUNT_OF(good), &fail));
    struct output twice[] = {to("--json", "a"), to("--csv", "./a")};
    refuses(twice, 2, "error: two results would go to ./a: "
                      "--json and --csv\n    ./a\n    ^\n"
                      "    note: give each result a separate file\n");
    struct output streams[] = {to("--json", "-"), to("--csv", "-")};
    refuses(streams, 2, "standard output (-), not --json and --csv");
    assert_int_equal(entries(), 0);
}

/* Detects a file that was read, or is another output, by any of the file's names. */
static void test_links(void **state)
{
    (void)state;
    struct fail fail = {0};
    struct text why = {0};
    char *bytes;
    size_t size;
    put("k.ptx");
    put("old");
    assert_int_equal(link("k.ptx", "hard") | symlink("k.ptx", "soft") | link("old", "older"), 0);
    struct output over[] = {to("--json", "old"), to("--csv", "./hard"), to("--text", "soft")};
    assert_true(outputs_check(over, 2, &fail));
    assert_true(file_read("k.ptx", &bytes, &size, &why));
    free(bytes);
    refuses(over, 2, "--csv would overwrite k.ptx, an input of the command\n"
                     "    ./hard\n    ^\n    note: ./hard is the same file\n");
    refuses(over + 2, 1, "--text would overwrite k.ptx");
    struct output twice[] = {to("--json", "old"), to("--csv", "older")};
    refuses(twice, 2, "two results would go to older: --json and --csv");
    reads_note("older");
    refuses(over, 1, "--json would overwrite older");
    unlink("older"); /* a later file with the same inode is another file */
    assert_true(outputs_check(over, 1, &fail));
    unlink("k.ptx"), unlink("hard"), unlink("soft"), unlink("old");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_write), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_devices), cmocka_unit_test(test_read),
                                       cmocka_unit_test(test_below), cmocka_unit_test(test_beside),
                                       cmocka_unit_test(test_identity),
                                       cmocka_unit_test(test_outputs),
                                       cmocka_unit_test(test_links)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
