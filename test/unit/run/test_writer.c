/* Streamed output: the whole file appears at its close; a dropped or failed output leaves no file;
 * special files receive the text at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "run/io/file.h"
#include "run/io/writer.h"
#include "folder.h"

enum { LINES = 20000 }; /* much more than the buffer holds */

static void write_lines(struct writer *s, u32 n)
{
    for (u32 i = 0; i < n; i++) {
        text_add(&s->text, "line %u\n", i);
        writer_flow(s);
    }
}

static void has_lines(const char *path, u32 n)
{
    struct text want = {0}, why = {0};
    for (u32 i = 0; i < n; i++) text_add(&want, "line %u\n", i);
    char *bytes;
    size_t size;
    assert_true(file_read(path, &bytes, &size, &why));
    assert_int_equal(size, want.size);
    assert_memory_equal(bytes, want.bytes, size);
    free(bytes);
    text_free(&want);
}

static void test_whole(void **state)
{
    (void)state;
    struct writer s;
    struct fail fail = {0};
    assert_true(file_write("a", "old", 3, &fail));
    assert_int_equal(symlink("a", "link"), 0);
    writer_open(&s, "link");
    write_lines(&s, LINES);
    assert_true(s.text.room < 1 << 18);
    char *bytes;
    size_t size;
    struct text why = {0};
    assert_true(file_read("a", &bytes, &size, &why));
    assert_int_equal(size, 3);
    free(bytes);
    assert_int_equal(writer_close(&s), 0);
    has_lines("a", LINES);
    struct stat st;
    assert_true(!lstat("link", &st) && S_ISLNK(st.st_mode));
    mode_t mask = umask(0);
    umask(mask);
    assert_true(!stat("a", &st) && (st.st_mode & 0777) == (0666 & ~mask));
    assert_int_equal(entries(), 2);
    writer_drop(&s); /* no effect on a closed output */
    unlink("link");
    unlink("a");
}

static void test_dropped(void **state)
{
    (void)state;
    struct writer s;
    writer_open(&s, "a");
    write_lines(&s, LINES);
    writer_drop(&s);
    writer_drop(&s);
    assert_int_equal(entries(), 0);
    writer_open(&s, "nowhere/a");
    write_lines(&s, LINES);
    assert_int_equal(writer_close(&s), ENOENT);
    assert_int_equal(entries(), 0);
}

/* As on a full disk: the first error is reported, and the space is freed immediately. */
static void test_full(void **state)
{
    (void)state;
    struct writer s;
    struct rlimit all, few;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &all), 0);
    few = (struct rlimit){100000, all.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &few), 0);
    writer_open(&s, "a");
    write_lines(&s, LINES);
    int fd = s.fd;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &all), 0);
    assert_int_equal(fd, -1);
    write_lines(&s, LINES);
    assert_int_equal(writer_close(&s), EFBIG);
    assert_int_equal(entries(), 0);
    writer_open(&s, "/dev/full");
    write_lines(&s, LINES);
    assert_int_equal(writer_close(&s), ENOSPC);
}

static void test_pipe(void **state)
{
    (void)state;
    struct writer s;
    char got[32] = {0};
    assert_int_equal(mkfifo("pipe", 0600), 0);
    int fd = open("pipe", O_RDONLY | O_NONBLOCK);
    writer_open(&s, "pipe");
    for (u32 i = 0; i < 3; i++) {
        write_lines(&s, 1);
        assert_int_equal(read(fd, got, sizeof got), 7); /* immediately */
        assert_string_equal(got, "line 0\n");
    }
    assert_int_equal(writer_close(&s), 0);
    assert_int_equal(read(fd, got, sizeof got), 0); /* end of file */
    close(fd);
    struct stat st;
    assert_true(!stat("pipe", &st) && S_ISFIFO(st.st_mode));
    unlink("pipe");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_whole), cmocka_unit_test(test_dropped),
                                       cmocka_unit_test(test_full), cmocka_unit_test(test_pipe)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
