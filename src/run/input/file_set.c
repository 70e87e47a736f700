#include "run/input/file_set.h"

#include <stdlib.h>
#include <string.h>
#include "run/io/file.h"

struct file_text {
    struct file_text *next;
    struct source source;
    char *name, *bytes;
};

static const struct source *file_set_add(struct file_set *s, char *name, char *bytes, size_t size)
{
    struct file_text *t = base_alloc(sizeof *t);
    *t = (struct file_text){s->texts, {name, bytes, size}, name, bytes};
    s->texts = t;
    return &t->source;
}

static const struct source *file_set_load(struct file_loader *r, const char *path,
                                          const struct source *at, size_t offset,
                                          struct fail *fail)
{
    struct file_set *s = (struct file_set *)r;
    struct text name = {0}, why = {0};
    file_beside(at->name, path, &name);
    char *bytes;
    size_t size;
    const struct source *loaded = NULL;
    if (file_read_input(name.bytes, &bytes, &size, &why)) {
        loaded = file_set_add(s, name.bytes, bytes, size);
    } else {
        fail_at(fail, at, offset, "cannot read %s: %s", text_get(&name), text_get(&why));
        fail_note(fail, strcmp(at->name, COMMAND_LINE)
                            ? "a path in a file is relative to the file"
                            : "a path on the command line is relative to the current folder");
        text_free(&name);
    }
    text_free(&why);
    return loaded;
}

void file_set_init(struct file_set *s)
{
    *s = (struct file_set){.loader = {.load = file_set_load}};
}

const struct source *file_set_open(struct file_set *s, const char *path, struct fail *fail)
{
    struct text why = {0}, name = {0};
    char *bytes;
    size_t size;
    const struct source *opened = NULL;
    if (file_read_input(path, &bytes, &size, &why)) {
        text_add(&name, "%s", path);
        opened = file_set_add(s, name.bytes, bytes, size);
    } else {
        struct source given = {COMMAND_LINE, path, strlen(path)};
        fail_at(fail, &given, 0, "cannot read %s: %s", path, text_get(&why));
        fail_note(fail, fail->file ? "a path in a file is relative to the file"
                                   : "a path on the command line is relative to the current "
                                     "folder");
    }
    text_free(&why);
    return opened;
}

void file_set_free(struct file_set *s)
{
    while (s->texts) {
        struct file_text *t = s->texts;
        s->texts = t->next;
        free(t->name);
        free(t->bytes);
        free(t);
    }
}
