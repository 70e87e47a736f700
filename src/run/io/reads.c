#include "run/io/reads.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "run/io/hasher.h"

static struct {
    pthread_mutex_t lock;
    struct read_file {
        struct stat st;
        char *path;
    } *files;
    u32 n, room;
    struct read_contents {
        char *path;
        u64 hash;
    } *contents;         /* of first readings */
    u32 contents_n, contents_room;
} reads = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Returns the entry of a file; NULL: not noted. Call with the lock held. */
static struct read_file *find(const struct stat *st)
{
    for (u32 i = 0; i < reads.n; i++)
        if (same_file(&reads.files[i].st, st)) return &reads.files[i];
    return NULL;
}

/* A newer name replaces the name of a noted file: a deleted file may have had the same inode. */
void reads_note_file(const char *path, const struct stat *st)
{
    if (!S_ISREG(st->st_mode)) return;
    pthread_mutex_lock(&reads.lock);
    struct read_file *f = find(st);
    if (!f) {
        f = base_push(reads.files, reads.n, reads.room);
        *f = (struct read_file){.st = *st};
    }
    if (!f->path || strcmp(f->path, path)) {
        size_t bytes = strlen(path) + 1;
        f->path = memcpy(base_realloc(f->path, bytes), path, bytes);
    }
    pthread_mutex_unlock(&reads.lock);
}

void reads_note(const char *path)
{
    struct stat st;
    if (!stat(path, &st)) reads_note_file(path, &st);
}

/* Returns true if the noted path still leads to the file: the inode of a deleted file may be
 * reused. */
static bool is_there(const struct read_file *f)
{
    struct stat now;
    return !stat(f->path, &now) && same_file(&now, &f->st);
}

void reads_each(void (*tell)(void *to, const char *path), void *to)
{
    pthread_mutex_lock(&reads.lock);
    for (u32 i = 0; i < reads.n; i++)
        if (is_there(&reads.files[i])) tell(to, reads.files[i].path);
    pthread_mutex_unlock(&reads.lock);
}

const char *reads_name(const struct stat *st)
{
    pthread_mutex_lock(&reads.lock);
    const struct read_file *f = find(st);
    const char *name = f && is_there(f) ? f->path : NULL;
    pthread_mutex_unlock(&reads.lock);
    return name;
}

bool reads_same(const char *path, const void *bytes, size_t size)
{
    u64 hash = hash_of(bytes, size), first = hash;
    u32 i = 0;
    pthread_mutex_lock(&reads.lock);
    while (i < reads.contents_n && strcmp(reads.contents[i].path, path)) i++;
    if (i < reads.contents_n) {
        first = reads.contents[i].hash;
    } else {
        size_t n = strlen(path) + 1;
        struct read_contents *new = base_push(reads.contents, reads.contents_n,
                                              reads.contents_room);
        *new = (struct read_contents){memcpy(base_alloc(n), path, n), hash};
    }
    pthread_mutex_unlock(&reads.lock);
    return hash == first;
}

void reads_forget(void)
{
    pthread_mutex_lock(&reads.lock);
    while (reads.contents_n) free(reads.contents[--reads.contents_n].path);
    pthread_mutex_unlock(&reads.lock);
}
