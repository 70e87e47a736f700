/* A CUDA program in an app file: command line, working folder, environment and input files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/tree.h"
#include "run/cuda/program.h"
#include "run/io/file.h"

struct reading {
    struct app_input *in;
    const struct source *at;
    struct fail *fail;
};

/* Returns the texts of a list, NULL last. NULL: error in `fail`. */
static const char **read_list(const struct reading *r, const struct node *list, const char *what)
{
    const char **all = arena_array(&r->in->arena, const char *, list->n + 1);
    u32 n = 0;
    for (const struct node *item = list->first; item; item = item->next) {
        all[n++] = item->text;
        if (item->kind == NODE_TEXT) continue;
        fail_at(r->fail, r->at, item->offset, "%s must be a text, not %s", what,
                node_kind_name(item->kind));
        return NULL;
    }
    return all;
}

static bool read_words(const struct reading *r, const struct node *list)
{
    const char **words = read_list(r, list, "a word of the program's command line");
    if (words && !list->n) {
        fail_at(r->fail, r->at, list->offset, "program must be a list beginning with the program");
        fail_note(r->fail, "for example: program: [./a.out, \"1024\"]");
    }
    if (!words || !list->n) return false;
    const struct program_word w = {words[0], r->at, list->first->offset};
    if (!program_open(r->in, &w, true, r->fail)) return false;
    words[0] = r->in->cuda->path;
    r->in->cuda->arguments = words;
    return true;
}

/* Reads the working folder. Default: the folder of the app file. */
static bool read_cwd(const struct reading *r, const struct node *node)
{
    struct text path = {0};
    struct stat s;
    if (node) file_beside(r->at->name, *node->text ? node->text : ".", &path);
    else file_folder(r->at->name, &path);
    bool found = !stat(path.bytes, &s);
    bool ok = found && S_ISDIR(s.st_mode) && !access(path.bytes, R_OK | X_OK);
    if (ok) {
        r->in->cuda->folder = arena_text(&r->in->arena, path.bytes, path.size);
        r->in->cuda->cwd = node ? node->text : NULL;
    } else {
        fail_at(r->fail, r->at, node ? node->offset : 0, "cannot work in %s: %s", path.bytes,
                found && !S_ISDIR(s.st_mode) ? "not a folder" : strerror(errno));
        fail_note(r->fail, "a path in a file is relative to the file");
    }
    text_free(&path);
    return ok;
}

static bool read_ptx(const struct reading *r, const struct node *node)
{
    if (!node || ptx_arch_parse(node->text, &r->in->cuda->ptx)) return true;
    fail_at(r->fail, r->at, node->offset, "'%s' is not an architecture of PTX", node->text);
    fail_note(r->fail, "expected an architecture as in 90, sm_90 or sm_90a");
    return false;
}

static bool read_environment(const struct reading *r, const struct node *map)
{
    if (!map) return true;
    u32 n = 0;
    const char **all = arena_array(&r->in->arena, const char *, map->n + 1);
    if (!tree_names(map, "env", NODE_TEXT, r->at, r->fail)) return false;
    for (const struct node *key = map->first; key; key = key->next) {
        struct text one = {0};
        if (strchr(key->text, '=')) {
            fail_at(r->fail, r->at, key->offset, "a variable's name must not contain '='");
            fail_note(r->fail, "a line of env is NAME: VALUE");
            return false;
        }
        text_add(&one, "%s=%s", key->text, key->value->text);
        all[n++] = arena_text(&r->in->arena, one.bytes, one.size);
        text_free(&one);
    }
    r->in->cuda->environment = all;
    return true;
}

static bool can_read(const struct reading *r, const struct node *item)
{
    struct text path = {0}, why = {0};
    char *bytes = NULL;
    size_t size;
    file_beside(r->at->name, item->text, &path);
    bool ok = file_read(path.bytes, &bytes, &size, &why);
    if (!ok) {
        fail_at(r->fail, r->at, item->offset, "cannot read %s: %s", path.bytes, text_get(&why));
        fail_note(r->fail, "inputs lists the files read by the program, by path relative to the "
                  "app file");
    }
    free(bytes);
    text_free(&path);
    text_free(&why);
    return ok;
}

static bool read_inputs(const struct reading *r, const struct node *list)
{
    if (!list) return true;
    bool good = (r->in->cuda->inputs = read_list(r, list, "an input")) != NULL;
    for (const struct node *item = good ? list->first : NULL; item; item = item->next)
        good &= can_read(r, item);
    r->in->changes = access(r->in->cuda->path, R_OK) != 0;
    return good;
}

bool program_read(struct app_input *in, const struct program_keys *keys, const struct source *at,
                  struct fail *fail)
{
    const struct reading r = {in, at, fail};
    if (!read_words(&r, keys->program)) return false;
    in->cuda->file = at->name;
    bool good = read_cwd(&r, keys->cwd);
    good &= read_environment(&r, keys->env);
    good &= read_ptx(&r, keys->ptx);
    if (good) program_note_arguments(in->cuda);
    return read_inputs(&r, keys->inputs) && good;
}
