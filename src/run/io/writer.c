#include "run/io/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "run/io/file.h"

enum { MUCH = 1 << 16 };

static void writer_fail(struct writer *s, int error)
{
    if (!s->error) s->error = error;
    if (s->fd >= 0 && !s->here) close(s->fd);
    s->fd = -1;
    if (s->beside.size) unlink(s->beside.bytes);
    s->beside.size = 0;
}

/* True for existing paths other than regular files: written to directly, never replaced. */
static bool is_special(const char *path)
{
    struct stat st;
    return !stat(path, &st) && !S_ISREG(st.st_mode);
}

/* Opens an unnamed file (O_TMPFILE) where supported: no trace of the file is left after a crash. */
static int open_unnamed(const char *folder)
{
#ifdef O_TMPFILE
    return open(folder, O_RDWR | O_CLOEXEC | O_TMPFILE, 0666);
#else
    (void)folder;
    errno = EOPNOTSUPP;
    return -1;
#endif
}

/* Begins a temporary name in the folder of the file. The name may be as long as names can be, hence
 * only its beginning is used. */
static void begin_beside(struct writer *s)
{
    enum { NAME_BYTES = 200 };
    const char *slash = strrchr(s->place.bytes, '/');
    const char *name = slash ? slash + 1 : s->place.bytes;
    s->beside.size = 0;
    text_put(&s->beside, s->place.bytes, (size_t)(name - s->place.bytes));
    text_add(&s->beside, "%.*s", NAME_BYTES, name);
}

static void open_named(struct writer *s)
{
    begin_beside(s);
    text_add(&s->beside, ".XXXXXX");
    s->fd = mkostemp(s->beside.bytes, O_CLOEXEC);
    if (s->fd >= 0) return;
    s->beside.size = 0;
    writer_fail(s, errno);
}

/* Sets the permissions: those of the file to be replaced, or those of any new file (umask). */
static void give_mode(struct writer *s)
{
    struct stat st;
    mode_t mask = umask(0), mode = stat(s->place.bytes, &st) ? 0666 & ~mask : st.st_mode & 0777;
    umask(mask);
    if (s->fd >= 0 && fchmod(s->fd, mode)) writer_fail(s, errno);
}

void writer_open_fd(struct writer *s, int fd)
{
    *s = (struct writer){.fd = fd, .open = true, .here = true};
}

void writer_open(struct writer *s, const char *path)
{
    *s = (struct writer){.fd = -1, .open = true};
    int fd = file_descriptor(path);
    if (fd >= 0) {
        writer_open_fd(s, fd);
    } else if (is_special(path)) {
        s->fd = open(path, O_WRONLY | O_CLOEXEC);
        if (s->fd < 0) s->error = errno;
    } else {
        struct text folder = {0};
        file_identity(path, &s->place);
        file_folder(s->place.bytes, &folder);
        s->fd = open_unnamed(folder.bytes);
        if (s->fd < 0) open_named(s);
        give_mode(s);
        text_free(&folder);
    }
}

void writer_put(struct writer *s, const void *bytes, size_t size)
{
    for (const char *from = bytes; size && s->fd >= 0;) {
        ssize_t put = write(s->fd, from, size);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) {
            writer_fail(s, errno);
            return;
        }
        from += put;
        size -= (size_t)put;
    }
}

void writer_flow(struct writer *s)
{
    if (s->place.size && s->text.size < MUCH) return;
    writer_put(s, s->text.bytes, s->text.size);
    s->text.size = 0;
}

/* Links the unnamed file `fd` under an unused temporary name. false: not possible. */
static bool give_name(struct writer *s)
{
    struct text self = {0};
    text_add(&self, "/proc/self/fd/%d", s->fd);
    int error = EEXIST;
    for (u32 i = 0; i < 100 && error == EEXIST; i++) {
        begin_beside(s);
        text_add(&s->beside, ".%d-%u", (int)getpid(), i);
        error = linkat(AT_FDCWD, self.bytes, AT_FDCWD, s->beside.bytes, AT_SYMLINK_FOLLOW)
                    ? errno : 0;
    }
    if (error) s->beside.size = 0;
    text_free(&self);
    return !error;
}

/* Copies an unnamed file into a new file with a temporary name, if linking has failed. */
static void copy_to_named(struct writer *s)
{
    char bytes[1 << 14];
    int from = s->fd;
    off_t at = 0;
    ssize_t n = 1;
    open_named(s);
    give_mode(s);
    while (s->fd >= 0 && n) {
        n = pread(from, bytes, sizeof bytes, at);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) writer_fail(s, errno);
        else writer_put(s, bytes, (size_t)n);
        at += n;
    }
    close(from);
}

/* Flushes the file to disk. EINVAL: the file system does not support fsync. */
static void sync_disk(struct writer *s)
{
    if (s->fd >= 0 && fsync(s->fd) && errno != EINVAL) writer_fail(s, errno);
}

int writer_close(struct writer *s)
{
    writer_put(s, s->text.bytes, s->text.size);
    if (s->place.size) {
        sync_disk(s);
        if (s->fd >= 0 && !s->beside.size && !give_name(s)) {
            copy_to_named(s);
            sync_disk(s);
        }
    }
    int fd = s->fd;
    if (fd >= 0 && !s->here) {
        s->fd = -1;
        if (close(fd)) writer_fail(s, errno);
    }
    if (s->beside.size && rename(s->beside.bytes, s->place.bytes)) writer_fail(s, errno);
    s->beside.size = 0;
    int error = s->error;
    writer_drop(s);
    return error;
}

void writer_drop(struct writer *s)
{
    if (!s->open) return;
    writer_fail(s, 0);
    text_free(&s->text);
    text_free(&s->place);
    text_free(&s->beside);
    *s = (struct writer){.fd = -1};
}
