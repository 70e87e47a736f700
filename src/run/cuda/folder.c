#include "run/cuda/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limit.h"
#include "run/jobs/forks.h"

/* ---- overlay ---- */

static bool put_line(const char *path, const char *line)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    size_t n = strlen(line);
    bool ok = fd >= 0 && write(fd, line, n) == (ssize_t)n;
    if (fd >= 0) close(fd);
    return ok;
}

/* Enters a new mount namespace. A user without the privilege for a mount namespace also enters a
 * new user namespace, with unchanged user and group ids. */
static bool own_mounts(const struct work_folder *f)
{
    if (!unshare(CLONE_NEWNS)) return true;
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS)) return false;
    put_line("/proc/self/setgroups", "deny");
    return put_line("/proc/self/uid_map", f->ids[0].bytes) &&
           put_line("/proc/self/gid_map", f->ids[1].bytes);
}

/* Mounts a tmpfs over the folder, then the overlay over the tmpfs. The folder below stays
 * accessible as the current folder. The mount options use relative paths, because commas and colons
 * in an absolute path would need quoting. */
static bool cover(const struct work_folder *f)
{
    const char *path = f->path.bytes;
    return own_mounts(f) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) && !chdir(path) &&
           !mount("tmpfs", ".", "tmpfs", 0, NULL) && !mkdir(f->lower.bytes, 0777) &&
           !mkdir(f->upper.bytes, 0777) && !chmod(f->upper.bytes, f->mode) &&
           !mkdir(f->work.bytes, 0777) &&
           !mount(".", f->lower.bytes, NULL, MS_BIND, NULL) && !chdir(path) &&
           !mount("overlay", ".", "overlay", 0,
                  "userxattr,lowerdir=lower,upperdir=upper,workdir=work");
}

bool folder_enter(const struct work_folder *f)
{
    return (!f->overlay || cover(f)) && !chdir(f->path.bytes);
}

/* Decodes a path from /proc in place: octal escapes such as \040 for a blank. */
static void plain_path(char *path)
{
    char *to = path;
    for (const char *at = path; *at; to++) {
        bool octal = at[0] == '\\' && at[1] && at[2] && at[3];
        *to = octal ? (char)((at[1] - '0') * 64 + (at[2] - '0') * 8 + (at[3] - '0')) : *at;
        at += octal ? 4 : 1;
    }
    *to = 0;
}

/* True if a file system is mounted below the folder: an overlay would not show its files. */
static bool holds_mounts(const char *path)
{
    FILE *mounts = fopen("/proc/self/mountinfo", "re");
    size_t room = 0, n = strcmp(path, "/") ? strlen(path) : 0;
    char *line = NULL;
    bool holds = !mounts;
    while (!holds && getline(&line, &room, mounts) > 0) {
        char *at = NULL;
        if (sscanf(line, "%*s %*s %*s %*s %ms", &at) != 1) continue;
        plain_path(at);
        holds = !strncmp(at, path, n) && at[n] == '/' && at[n + 1];
        free(at);
    }
    free(line);
    if (mounts) fclose(mounts);
    return holds;
}

/* True if an overlay would deny writes that the user is permitted. Only the user's own ids are
 * mapped in the user namespace; files of other owners are readable there but never writable. */
static bool may_lose_writes(const char *path)
{
    struct stat s;
    bool own = !stat(path, &s) && s.st_uid == geteuid() && s.st_gid == getegid();
    return !own && geteuid() && !access(path, W_OK);
}

/* True if an overlay can be mounted over the folder. Tries the mount in a short-lived child
 * process. */
static bool can_cover(const struct work_folder *f)
{
    if (holds_mounts(f->path.bytes) || may_lose_writes(f->path.bytes)) return false;
    pid_t pid = forks_own("mount");
    if (!pid) _exit(cover(f) ? 0 : 1);
    int status = 1;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    return !status;
}

/* ---- copy ---- */

struct copying {
    const char *of, *as; /* source and destination folder */
    struct stat own;     /* of the destination, possibly inside the source */
    u64 bytes, files;    /* counted so far, against the limits */
    struct text *why;
};

/* Reports a failed copy of `name`, from errno. true: ignored, since the file has just been
 * deleted. */
static bool cannot(const struct copying *c, const char *name)
{
    if (errno == ENOENT) return true;
    text_add(c->why, "cannot copy %s: ", name);
    limit_explain(errno, c->why);
    return false;
}

static bool too_much(const struct copying *c)
{
    if (c->bytes <= (u64)FOLDER_COPY_MB << 20 && c->files <= FOLDER_COPY_FILES) return false;
    text_add(c->why, "the folder holds more than %d MB or %d files, and an overlay cannot be "
             "mounted",
             FOLDER_COPY_MB, FOLDER_COPY_FILES);
    return true;
}

/* Copies a file. An unreadable file becomes an empty, unreadable file in the copy. */
static bool copy_file(int from, int to, const char *name, const struct stat *s,
                      const struct copying *c)
{
    int in = openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool hidden = in < 0 && errno == EACCES;
    int out = in < 0 && !hidden ? -1 : openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                                              hidden ? 0 : s->st_mode & 0777);
    ssize_t n = out < 0 ? -1 : !hidden;
    for (off_t left = s->st_size; left > 0 && n > 0; left -= n)
        n = sendfile(out, in, NULL, left < 1 << 20 ? (size_t)left : 1 << 20);
    bool ok = n >= 0 || cannot(c, name);
    if (in >= 0) close(in);
    if (out >= 0) close(out);
    return ok;
}

/* Copies a symbolic link. An absolute link into the folder is redirected into the copy. */
static bool copy_link(int from, int to, const char *name, const struct copying *c)
{
    char path[4096];
    ssize_t n = readlinkat(from, name, path, sizeof path - 1);
    if (n < 0) return cannot(c, name);
    path[n] = 0;
    struct text target = {0};
    size_t all = strlen(c->of);
    bool inside = !strncmp(path, c->of, all) && (!path[all] || path[all] == '/');
    text_add(&target, "%s%s", inside ? c->as : "", inside ? path + all : path);
    bool ok = !symlinkat(target.bytes, to, name) || cannot(c, name);
    text_free(&target);
    return ok;
}

static bool copy_folder(int from, int to, struct copying *c);

static bool copy_inner(int from, int to, const char *name, const struct stat *s, struct copying *c)
{
    if (s->st_dev == c->own.st_dev && s->st_ino == c->own.st_ino) return true;
    int in = openat(from, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (in < 0 && errno == EACCES) return !mkdirat(to, name, 0) || cannot(c, name);
    bool made = in >= 0 && !mkdirat(to, name, S_IRWXU);
    int out = made ? openat(to, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    bool ok = out >= 0 ? copy_folder(in, out, c) : cannot(c, name);
    if (out >= 0) fchmod(out, s->st_mode & 0777);
    if (out < 0 && in >= 0) close(in);
    if (out >= 0) close(out);
    return ok;
}

/* Copies files, symbolic links and folders recursively, and closes `from`. Skips sockets, pipes and
 * devices: they are no input of a program. */
static bool copy_folder(int from, int to, struct copying *c)
{
    DIR *folder = fdopendir(from);
    bool ok = folder || cannot(c, "a folder");
    for (struct dirent *d; ok && folder && (d = readdir(folder));) {
        struct stat s;
        if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, "..")) continue;
        if (fstatat(from, d->d_name, &s, AT_SYMLINK_NOFOLLOW)) continue; /* deleted meanwhile */
        if (temp_dir_unwanted()) {
            text_add(c->why, "interrupted");
            ok = false;
            break;
        }
        c->files++;
        if (S_ISREG(s.st_mode)) c->bytes += (u64)s.st_size;
        if (too_much(c)) ok = false;
        else if (S_ISREG(s.st_mode)) ok = copy_file(from, to, d->d_name, &s, c);
        else if (S_ISLNK(s.st_mode)) ok = copy_link(from, to, d->d_name, c);
        else if (S_ISDIR(s.st_mode)) ok = copy_inner(from, to, d->d_name, &s, c);
    }
    if (folder) closedir(folder);
    else close(from);
    return ok;
}

/* Task of the temporary folder's process (struct temp_dir_task): fills the copy. */
static void fill_copy(const char *folder, const void *of, struct text *why)
{
    const struct work_folder *f = of;
    struct copying c = {.of = f->path.bytes, .as = realpath(folder, NULL), .why = why};
    int from = open(c.of, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int to = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok = c.as && from >= 0 && to >= 0 && !fstat(to, &c.own);
    if (!ok) text_add(why, "cannot copy the folder: %s", strerror(errno));
    else if (copy_folder(from, to, &c)) fchmod(to, f->mode);
}

static bool open_copy(struct work_folder *f, struct text *why)
{
    struct text not = {0};
    const struct temp_dir_task task = {fill_copy, f};
    bool root = !strcmp(f->path.bytes, "/");
    if (root) text_add(&not, "the root folder holds everything");
    bool ok = !root && temp_dir_start(&f->copy, &task, &not);
    if (!ok)
        text_add(why, "cannot copy the working folder %s: %s; name a smaller folder in an app file "
                 "(cwd), or run in the folder itself (--in-place)", f->path.bytes, text_get(&not));
    text_free(&not);
    if (!ok) return false;
    f->path.size = 0;
    text_add(&f->path, "%s", f->copy.folder.bytes);
    return true;
}

/* ---- choice between in place, overlay and copy ---- */

bool folder_open(struct work_folder *f, const char *of, bool in_place, struct text *why)
{
    char *real = realpath(of, NULL);
    struct stat s;
    *f = (struct work_folder){0};
    if (!real) text_add(why, "cannot work in %s: %s", of, strerror(errno));
    else text_add(&f->path, "%s", real);
    free(real);
    if (!real || in_place) return real != NULL;
    /* effective permissions: the folder may belong to another user */
    if (!stat(f->path.bytes, &s)) f->mode = s.st_mode & (access(f->path.bytes, W_OK) ? 0555 : 0777);
    text_add(&f->lower, "%s/lower", f->path.bytes);
    text_add(&f->upper, "%s/upper", f->path.bytes);
    text_add(&f->work, "%s/work", f->path.bytes);
    text_add(&f->ids[0], "%u %u 1", geteuid(), geteuid());
    text_add(&f->ids[1], "%u %u 1", getegid(), getegid());
    f->overlay = can_cover(f);
    return f->overlay || open_copy(f, why);
}

void folder_close(struct work_folder *f)
{
    text_free(&f->path);
    text_free(&f->lower);
    text_free(&f->upper);
    text_free(&f->work);
    for (u32 i = 0; i < COUNT_OF(f->ids); i++) text_free(&f->ids[i]);
    temp_dir_end(&f->copy);
    *f = (struct work_folder){0};
}
