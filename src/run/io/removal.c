#include "run/io/removal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct removal {
    struct text path;  /* of the current entry, relative to the emptied folder */
    struct text *left; /* path of the first entry not removed */
    int why;           /* errno of the first entry not removed; 0: none so far */
};

/* ---- mounts ---- */

/* Returns the id of the mount of an open file; < 0: unknown. The device number would not
 * distinguish bind mounts of the same file system. */
static s64 mount_of(int fd)
{
    char path[64], line[128];
    s64 id = -1;
#ifdef STATX_MNT_ID
    struct statx s;
    if (!statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &s) && s.stx_mask & STATX_MNT_ID)
        return (s64)s.stx_mnt_id;
#endif
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
    FILE *info = fopen(path, "re");
    while (info && id < 0 && fgets(line, sizeof line, info))
        if (sscanf(line, "mnt_id: %" SCNd64, &id) != 1) id = -1;
    if (info) fclose(info);
    return id;
}

static int open_inner_old(int in, const char *name)
{
    s64 here = mount_of(in);
    int fd = openat(in, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return -1;
    s64 there = mount_of(fd);
    if (here >= 0 && here == there) return fd;
    close(fd);
    errno = here < 0 || there < 0 ? ENOSYS : EBUSY;
    return -1;
}

/* Opens a subfolder as a path (O_PATH, no read permission needed) unless the subfolder is a mount
 * point. < 0: errno. */
static int open_inner(int in, const char *name)
{
    const struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
                                 .resolve = RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS};
    int fd = (int)syscall(SYS_openat2, in, name, &how, sizeof how);
    if (fd < 0 && (errno == ENOSYS || errno == EPERM)) return open_inner_old(in, name);
    if (fd < 0 && errno == EXDEV) errno = EBUSY;
    return fd;
}

/* ---- removal ---- */

static void stays(struct removal *r, int why)
{
    if (!r->why) text_put(r->left, r->path.bytes, r->path.size);
    if (!r->why) r->why = why;
}

/* Opens a folder for reading, after giving the user all permissions, so that the entries can be
 * removed. If `folder` is open as a path only, fchmod fails with EBADF, and the permissions are
 * changed through the descriptor's name in /proc, which always leads to this folder. < 0: errno. */
static int open_entries(int folder)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", folder);
    if (fchmod(folder, S_IRWXU) && errno == EBADF) chmod(path, S_IRWXU);
    return openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void remove_entry(int in, const char *name, struct removal *r);

/* Removes all entries and closes `fd`, the result of open_entries. */
static void empty(int fd, struct removal *r)
{
    size_t n = r->path.size;
    DIR *entries = fd < 0 ? NULL : fdopendir(fd);
    if (!entries) stays(r, errno);
    if (!entries && fd >= 0) close(fd);
    for (struct dirent *d; entries && (d = readdir(entries));) {
        if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, "..")) continue;
        text_add(&r->path, "/%s", d->d_name);
        remove_entry(fd, d->d_name, r);
        r->path.bytes[r->path.size = n] = 0;
    }
    if (entries) closedir(entries);
}

static void remove_entry(int in, const char *name, struct removal *r)
{
    if (!unlinkat(in, name, 0) || errno == ENOENT) return;
    int inner = errno == EISDIR ? open_inner(in, name) : -1;
    if (inner < 0) {
        stays(r, errno);
        return;
    }
    int fd = open_entries(inner);
    close(inner);
    empty(fd, r);
    if (unlinkat(in, name, AT_REMOVEDIR) && errno != ENOENT) stays(r, errno);
}

int removal_empty(int folder, struct text *left)
{
    struct removal r = {.left = left};
    text_add(&r.path, "%s", "");
    empty(open_entries(folder), &r);
    text_free(&r.path);
    return r.why;
}
