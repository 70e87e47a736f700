#include "run/io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/arena.h"
#include "run/io/reads.h"
#include "run/io/writer.h"

#define FILE_MAX_BYTES ((size_t)4 << 30)

enum { LINKS_MAX = 40 }; /* one after the other, as in Linux */

static void too_large(struct text *why)
{
    text_add(why, "larger than %zu GiB", FILE_MAX_BYTES >> 30);
}

/* Reads to the end of the file. `expected`, the size from fstat, is a hint only (0 under /proc). */
static bool read_all(int fd, size_t expected, char **bytes, size_t *size, struct text *why)
{
    size_t room = expected + 1, n = 0;
    char *p = base_alloc(room);
    for (;;) {
        if (n == room) p = base_realloc(p, room *= 2);
        ssize_t got = read(fd, p + n, room - n);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) text_add(why, "%s", strerror(errno));
        if (got <= 0) break;
        n += (size_t)got;
        if (n > FILE_MAX_BYTES) {
            too_large(why);
            break;
        }
    }
    if (why->size) {
        free(p);
        return false;
    }
    *bytes = p;
    *size = n;
    return true;
}

bool file_read(const char *path, char **bytes, size_t *size, struct text *why)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* does not block on a FIFO */
    struct stat st;
    if (fd < 0 || fstat(fd, &st)) {
        text_add(why, "%s", strerror(errno));
        if (fd >= 0) close(fd);
        return false;
    }
    bool read = false;
    if (S_ISDIR(st.st_mode)) {
        text_add(why, "is a directory");
    } else if (S_ISFIFO(st.st_mode)) {
        text_add(why, "is a pipe: write the contents to a file first");
    } else if (!S_ISREG(st.st_mode)) {
        text_add(why, "is a device, not a file");
    } else if (st.st_size > 0 && (u64)st.st_size > FILE_MAX_BYTES) {
        too_large(why);
    } else {
        read = read_all(fd, st.st_size > 0 ? (size_t)st.st_size : 4096, bytes, size, why);
        reads_note_file(path, &st);
    }
    close(fd);
    return read;
}

bool file_read_input(const char *path, char **bytes, size_t *size, struct text *why)
{
    char *read;
    if (!file_read(path, &read, size, why)) return false;
    bool same = reads_same(path, read, *size);
    if (same) *bytes = read;
    else free(read);
    if (!same) text_add(why, FILE_CHANGED);
    return same;
}

bool file_unwritten(const char *path, int error, const struct source *at, size_t offset,
                    struct fail *fail)
{
    const char *why = strerror(error);
    if (!strcmp(path, "-")) path = "standard output";
    if (at) fail_at(fail, at, offset, "cannot write %s: %s", path, why);
    else fail_plain(fail, "cannot write %s: %s", path, why);
    bool full = error == ENOSPC || error == EDQUOT;
    if (full) fail_note(fail, "free some space, or name a file on another file system");
    else if (error == EFBIG) fail_note(fail, "raise the limit on the size of files (ulimit -f)");
    else if (error == ENOENT) fail_note(fail, "make the folder first, or name another folder");
    else if (error == EACCES) fail_note(fail, "name a writable file or folder");
    else if (error == ENAMETOOLONG) fail_note(fail, "choose a shorter name");
    return false;
}

void file_folder(const char *path, struct text *out)
{
    const char *slash = strrchr(path, '/');
    if (!slash) text_add(out, ".");
    else text_put(out, path, slash == path ? 1 : (size_t)(slash - path));
}

/* Appends the absolute path of a name in its folder, with the links of the folder followed. false:
 * the folder does not exist. */
static bool name_in_folder(const char *path, struct text *out)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    struct text folder = {0};
    if (slash) text_put(&folder, path, (size_t)(name - path));
    else text_add(&folder, ".");
    char *real = realpath(folder.bytes, NULL);
    if (real) text_add(out, "%s%s%s", real, real[1] ? "/" : "", name);
    text_free(&folder);
    bool exists = real != NULL;
    free(real);
    return exists;
}

/* Replaces a path from name_in_folder by the target of the link there. false: no link. */
static bool follow(struct text *path)
{
    char target[PATH_MAX];
    ssize_t n = readlink(path->bytes, target, sizeof target - 1);
    if (n <= 0) return false;
    target[n] = 0;
    struct text next = {0};
    file_beside(path->bytes, target, &next);
    path->size = 0;
    bool exists = name_in_folder(next.bytes, path);
    if (!exists) text_add(path, "%s", next.bytes);
    text_free(&next);
    return exists;
}

void file_identity(const char *path, struct text *out)
{
    char *real = realpath(path, NULL);
    struct text at = {0};
    if (real) {
        text_add(out, "%s", real);
    } else if (!name_in_folder(path, &at)) {
        text_add(out, "%s", path);
    } else {
        for (u32 links = 0; links < LINKS_MAX && follow(&at); links++) continue;
        text_add(out, "%s", at.bytes);
    }
    text_free(&at);
    free(real);
}

int file_descriptor(const char *path)
{
    if (!strcmp(path, "-")) return STDOUT_FILENO;
    char *own = realpath("/proc/self/fd", NULL);
    struct text at = {0};
    size_t n = own ? strlen(own) : 0;
    int fd = -1;
    bool goes_on = own && name_in_folder(path, &at);
    for (u32 links = 0; goes_on && links < LINKS_MAX; links++) {
        const char *number = at.bytes + n + 1;
        if (at.size > n + 1 && !strncmp(at.bytes, own, n) && at.bytes[n] == '/' &&
            strspn(number, "0123456789") == strlen(number)) {
            fd = atoi(number);
            break;
        }
        goes_on = follow(&at);
    }
    text_free(&at);
    free(own);
    return fd >= 0 && fcntl(fd, F_GETFD) != -1 ? fd : -1;
}

bool file_is_below(const char *path, const char *folder)
{
    struct text file = {0}, above = {0}, own = {0};
    file_identity(path, &file);
    file_identity(folder, &above);
    file_folder(path, &own);
    bool there = !access(own.bytes, F_OK), root = !strcmp(above.bytes, "/");
    bool below = !there || root || (!strncmp(file.bytes, above.bytes, above.size) &&
                                       file.bytes[above.size] == '/');
    text_free(&own);
    text_free(&file);
    text_free(&above);
    return below;
}

bool file_write_for(const char *path, const void *bytes, size_t size, const struct source *at,
                    size_t offset, struct fail *fail)
{
    struct writer s;
    writer_open(&s, path);
    writer_put(&s, bytes, size);
    int error = writer_close(&s);
    return !error || file_unwritten(path, error, at, offset, fail);
}

bool file_write(const char *path, const void *bytes, size_t size, struct fail *fail)
{
    return file_write_for(path, bytes, size, NULL, 0, fail);
}

bool file_writable(const char *path, const struct source *at, size_t offset, struct fail *fail)
{
    if (file_descriptor(path) >= 0) return true;
    struct stat st;
    bool exists = !stat(path, &st);
    if (!exists && errno == ENAMETOOLONG) return file_unwritten(path, errno, at, offset, fail);
    if (exists && S_ISDIR(st.st_mode)) return file_unwritten(path, EISDIR, at, offset, fail);
    if (exists && !S_ISREG(st.st_mode)) {
        return !access(path, W_OK) || file_unwritten(path, errno, at, offset, fail);
    }
    struct text place = {0};
    file_identity(path, &place);
    struct text folder = {0};
    file_folder(place.bytes, &folder);
    bool ok = !access(folder.bytes, W_OK | X_OK) || file_unwritten(path, errno, at, offset, fail);
    text_free(&place);
    text_free(&folder);
    return ok;
}

bool file_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) != -1) continue;
        int opened = open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY);
        if (opened != fd) return false; /* open returns the lowest free descriptor */
    }
    return true;
}

void file_beside(const char *from, const char *path, struct text *out)
{
    const char *slash = strrchr(from, '/');
    if (slash && path[0] != '/') {
        text_put(out, from, (size_t)(slash - from) + 1);
        if (!strncmp(path, "./", 2)) path += 2;
    }
    text_add(out, "%s", path);
}
