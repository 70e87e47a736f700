#include "run/sweep/bundle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/arena.h"
#include "base/version.h"
#include "run/io/file.h"
#include "run/io/reads.h"
#include "run/sweep/integrity.h"
#include "run/sweep/sweep_file.h"

#define RESULTS "results.db"
#define SCRIPT "redo.sh"

struct bundle {
    const struct bundle_setup *setup;
    u32 *files_written;
    struct fail *fail;
    struct text base;     /* absolute path of the sweep file's folder, with a slash at the end */
    char **files;         /* absolute paths */
    u32 file_n, file_room;
};

/* Notes a file to be copied, or adds an error if the file is not below the sweep file's folder. */
static void note(void *to, const char *path)
{
    struct bundle *b = to;
    struct text name = {0};
    file_identity(path, &name);
    if (strncmp(text_get(&name), b->base.bytes, b->base.size)) {
        fail_plain(b->fail, "%s is outside of the sweep file's folder", path);
        fail_note(b->fail, "a bundle keeps the paths of a sweep, and has files below %s only",
                  b->base.bytes);
        text_free(&name);
        return;
    }
    *base_push(b->files, b->file_n, b->file_room) = name.bytes;
}

/* Makes the folders above a file of the bundle. */
static bool make_folders(const struct bundle *b, struct text *path)
{
    size_t top = strlen(b->setup->folder);
    for (char *at = path->bytes + top + 1; (at = strchr(at, '/')); at++) {
        *at = 0;
        int error = mkdir(path->bytes, 0777) ? errno : 0;
        if (error && error != EEXIST) file_unwritten(path->bytes, error, NULL, 0, b->fail);
        *at = '/';
        if (error && error != EEXIST) return false;
    }
    return true;
}

/* Copies a file with its permissions to `name` below the bundle's folder. */
static bool copy(struct bundle *b, const char *from, const char *name)
{
    struct text path = {0}, why = {0};
    struct stat st;
    char *bytes = NULL;
    size_t size = 0;
    text_add(&path, "%s/%s", b->setup->folder, name);
    bool ok = file_read(from, &bytes, &size, &why);
    if (!ok) fail_plain(b->fail, "cannot read %s: %s", from, text_get(&why));
    ok = ok && make_folders(b, &path) && file_write(path.bytes, bytes, size, b->fail);
    if (ok && !stat(from, &st)) chmod(path.bytes, st.st_mode & 0777);
    *b->files_written += ok;
    free(bytes);
    text_free(&path);
    text_free(&why);
    return ok;
}

static void show_script(const struct bundle *b, const char *sweep, struct text *out)
{
    const char *commit = version_commit[0] ? version_commit : "unknown";
    bool results = b->setup->database;
    text_add(out, "#!/bin/sh\n# Runs this sweep again");
    if (results) text_add(out, " and compares the results with " RESULTS);
    text_add(out, ". CORUN=PATH chooses a corun;\n"
             "# arguments go to corun sweep. Bundled by corun " CORUN_VERSION ", commit %s,\n"
             "# timing model %d.\nset -eu\ncd \"$(dirname \"$0\")\"\ncorun=${CORUN:-corun}\n"
             "\"$corun\" --version\n\"$corun\" sweep ", commit, CORUN_MODEL);
    text_quote(out, sweep);
    text_add(out, " -o again.db \"$@\"\n");
    if (results) text_add(out, "\"$corun\" diff --exit-code " RESULTS " again.db\n");
}

static bool write_script(const struct bundle *b, const char *sweep)
{
    struct text script = {0}, path = {0};
    text_add(&path, "%s/" SCRIPT, b->setup->folder);
    show_script(b, sweep, &script);
    bool ok = file_write(path.bytes, script.bytes, script.size, b->fail);
    if (ok) chmod(path.bytes, 0755);
    text_free(&script);
    text_free(&path);
    return ok;
}

/* Copies the noted files, the results and the script into the new folder. */
static bool copy_all(struct bundle *b)
{
    struct text sweep = {0};
    if (mkdir(b->setup->folder, 0777)) {
        bool there = errno == EEXIST;
        file_unwritten(b->setup->folder, errno, NULL, 0, b->fail);
        if (there) fail_note(b->fail, "a bundle needs a new folder");
        return false;
    }
    bool ok = true;
    for (u32 i = 0; i < b->file_n && ok; i++)
        ok = copy(b, b->files[i], b->files[i] + b->base.size);
    if (b->setup->database) ok = ok && copy(b, b->setup->database, RESULTS);
    file_identity(b->setup->sweep, &sweep);
    ok = ok && write_script(b, sweep.bytes + b->base.size);
    text_free(&sweep);
    return ok;
}

/* Returns true if the sweep has points with these apps and this policy. Keys are not compared:
 * results of an earlier timing model are results of the sweep, too. */
static bool is_named(const struct sweep_file *f, const char *apps, const char *policy)
{
    bool has_apps = false, has_policy = false;
    struct text specs = {0};
    for (u32 i = 0; i < f->policy_n; i++) has_policy |= !strcmp(f->policies[i].text, policy);
    for (u32 a = 0; a < f->app_n && !has_apps; a++) {
        specs.size = 0;
        sweep_apps_show(&f->apps[a], &specs);
        has_apps = !strcmp(specs.bytes, apps);
    }
    text_free(&specs);
    return has_apps && has_policy;
}

/* Refuses a database whose runs are all of another sweep. */
static bool has_point(const struct bundle *b, const struct sweep_file *f, struct store *s)
{
    sqlite3_stmt *q = NULL;
    bool found = false;
    if (!store_prepare(s, &q, "select apps, policy from run", b->fail)) return false;
    while (!found && sqlite3_step(q) == SQLITE_ROW)
        found = is_named(f, (const char *)sqlite3_column_text(q, 0),
                         (const char *)sqlite3_column_text(q, 1));
    sqlite3_finalize(q);
    if (!found) fail_plain(b->fail, "%s has no run of %s", s->path, b->setup->sweep);
    return found;
}

/* Returns true if the file is an intact database of results of the sweep, or none is given. */
static bool has_results(const struct bundle *b, const struct sweep_file *f)
{
    struct store store;
    if (!b->setup->database) return true;
    bool ok = store_open(&store, b->setup->database, b->fail) &&
              require_intact(&store, b->fail) && has_point(b, f, &store);
    store_close(&store);
    return ok;
}

static bool is_reserved(const struct bundle *b, const char *name)
{
    for (u32 i = 0; i < b->file_n; i++) {
        if (strcmp(b->files[i] + b->base.size, name)) continue;
        fail_plain(b->fail, "the sweep names a file %s, a name for a file of the bundle", name);
        return true;
    }
    return false;
}

bool bundle_write(const struct bundle_setup *setup, u32 *files, struct fail *fail)
{
    struct bundle b = {.setup = setup, .files_written = files, .fail = fail};
    struct sweep_file f;
    struct text name = {0};
    *files = 0;
    bool ok = sweep_file_open(&f, setup->sweep, fail);
    file_identity(setup->sweep, &name);
    file_folder(text_get(&name), &b.base);
    if (b.base.size && b.base.bytes[b.base.size - 1] != '/') text_add(&b.base, "/");
    if (ok) reads_each(note, &b);
    ok = ok && !fail->error_n && has_results(&b, &f) && !is_reserved(&b, SCRIPT) &&
         !(setup->database && is_reserved(&b, RESULTS)) && copy_all(&b);
    for (u32 i = 0; i < b.file_n; i++) free(b.files[i]);
    free(b.files);
    text_free(&b.base);
    text_free(&name);
    sweep_file_free(&f);
    return ok;
}
