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

/* ---- an overlay ---- */

static bool put_line(const char *path, const char *line)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    size_t n = strlen(line);
    bool ok = fd >= 0 && write(fd, line, n) == (ssize_t)n;
    if (fd >= 0) close(fd);
    return ok;
}

/* A mount namespace; of a user who may not have one alone, with a user namespace, in which the user
 * stays who it is. */
static bool own_mounts(const struct work_folder *f)
{
    if (!unshare(CLONE_NEWNS)) return true;
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS)) return false;
    put_line("/proc/self/setgroups", "deny");
    return put_line("/proc/self/uid_map", f->ids[0].bytes) &&
           put_line("/proc/self/gid_map", f->ids[1].bytes);
}

/* Memory is mounted over the folder, which stays in reach as our current one, and the overlay over
 * that. Its options are a text in which a path would need its commas and colons quoted: the paths
 * there are relative. */
static bool cover(const struct work_folder *f)
{
    const char *path = f->path.bytes;
    return own_mounts(f) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) && !chdir(path) &&
           !mount("tmpfs", ".", "tmpfs", 0, NULL) && !mkdir(f->lower.bytes, 0777) &&
           !mkdir(f->upper.bytes, 0777) && !mkdir(f->work.bytes, 0777) &&
           !mount(".", f->lower.bytes, NULL, MS_BIND, NULL) && !chdir(path) &&
           !mount("overlay", ".", "overlay", 0,
                  "userxattr,lowerdir=lower,upperdir=upper,workdir=work");
}

bool folder_enter(const struct work_folder *f)
{
    return (!f->overlay || cover(f)) && !chdir(f->path.bytes);
}

/* As /proc writes a path: a blank is \040. */
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

/* Whether something is mounted below a folder, which an overlay would not show. */
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

/* In a user namespace only the user's own ids are known: what belongs to others can be read, and
 * not be changed, also where the user might. */
static bool may_lose_writes(const char *path)
{
    struct stat s;
    bool own = !stat(path, &s) && s.st_uid == geteuid() && s.st_gid == getegid();
    return !own && geteuid() && !access(path, W_OK);
}

/* Whether the kernel lets us, found out in a process that ends at once. */
static bool can_cover(const struct work_folder *f)
{
    if (holds_mounts(f->path.bytes) || may_lose_writes(f->path.bytes)) return false;
    pid_t pid = fork();
    if (!pid) _exit(cover(f) ? 0 : 1);
    int status = 1;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    return !status;
}

/* ---- a copy ---- */

struct copying {
    u64 bytes, files;
    struct text *why;
};

static bool cannot(const struct copying *c, const char *name)
{
    text_add(c->why, "cannot copy %s: %s", name, strerror(errno));
    return false;
}

static bool too_much(const struct copying *c)
{
    if (c->bytes <= (u64)FOLDER_COPY_MB << 20 && c->files <= FOLDER_COPY_FILES) return false;
    text_add(c->why, "it holds more than %d MB or %d files, and no overlay of it can be mounted",
             FOLDER_COPY_MB, FOLDER_COPY_FILES);
    return true;
}

static bool copy_file(int from, int to, const char *name, const struct stat *s,
                      const struct copying *c)
{
    int in = openat(from, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    int out = in < 0 ? -1 : openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                                   s->st_mode & 0777);
    ssize_t n = out < 0 ? -1 : 1;
    while (n > 0) n = sendfile(out, in, NULL, 1 << 20);
    bool ok = !n || cannot(c, name);
    if (in >= 0) close(in);
    if (out >= 0) close(out);
    return ok;
}

static bool copy_link(int from, int to, const char *name, const struct copying *c)
{
    char path[4096];
    ssize_t n = readlinkat(from, name, path, sizeof path - 1);
    if (n >= 0) path[n] = 0;
    return (n >= 0 && !symlinkat(path, to, name)) || cannot(c, name);
}

static bool copy_folder(int from, int to, struct copying *c);

static bool copy_inner(int from, int to, const char *name, const struct stat *s, struct copying *c)
{
    int in = openat(from, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool made = in >= 0 && !mkdirat(to, name, (s->st_mode & 0777) | S_IRWXU);
    int out = made ? openat(to, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    bool ok = out >= 0 ? copy_folder(in, out, c) : cannot(c, name);
    if (out < 0 && in >= 0) close(in);
    if (out >= 0) close(out);
    return ok;
}

/* Files, links and folders; `from` is closed. What else there is, a socket or a pipe, is not a
 * program's input. */
static bool copy_folder(int from, int to, struct copying *c)
{
    DIR *folder = fdopendir(from);
    bool ok = folder || cannot(c, "a folder");
    for (struct dirent *d; ok && folder && (d = readdir(folder));) {
        struct stat s;
        if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, "..")) continue;
        if (fstatat(from, d->d_name, &s, AT_SYMLINK_NOFOLLOW)) continue; /* it has just gone */
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

/* In the keeper. */
static void fill_copy(const char *folder, const void *of, struct text *why)
{
    struct copying c = {.why = why};
    int from = open(of, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int to = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (from < 0 || to < 0) cannot(&c, of);
    else copy_folder(from, to, &c);
}

static bool open_copy(struct work_folder *f, struct text *why)
{
    struct text not = {0};
    const struct keeper_task task = {fill_copy, f->path.bytes};
    bool ok = keeper_start(&f->copy, &task, &not);
    if (!ok)
        text_add(why, "cannot make a new folder like %s: %s; name a smaller one in an app file "
                 "(cwd), or let it run there (--in-place)", f->path.bytes, text_get(&not));
    text_free(&not);
    if (!ok) return false;
    f->path.size = 0;
    text_add(&f->path, "%s", f->copy.folder.bytes);
    return true;
}

/* ---- which of them ---- */

bool folder_open(struct work_folder *f, const char *of, bool in_place, struct text *why)
{
    char *real = realpath(of, NULL);
    *f = (struct work_folder){0};
    if (!real) text_add(why, "cannot work in %s: %s", of, strerror(errno));
    else text_add(&f->path, "%s", real);
    free(real);
    if (!real || in_place) return real != NULL;
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
    keeper_end(&f->copy);
    *f = (struct work_folder){0};
}
