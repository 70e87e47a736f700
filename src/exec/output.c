#include "exec/output.h"

#include <stdlib.h>
#include <string.h>

enum output_kind { OUTPUT_PRINT, OUTPUT_FAILED, OUTPUT_OVER, OUTPUT_WARNING };

struct output_item {
    u8 kind;                   /* enum output_kind */
    u32 line;                  /* of a warning */
    struct printer *printer;   /* of a print, a failure, an end */
    struct warnings *warnings; /* of a warning, with `where` */
    const char *where;
    size_t from, n;            /* text, in output.bytes */
};

struct output {
    struct output_item *items;
    u32 n, room;
    struct text bytes;         /* each text is followed by a NUL */
    bool *pending;             /* set to true with the first item */
};

void effect_log_output(struct effect *e, bool *pending)
{
    e->output = base_alloc(sizeof *e->output);
    e->output->pending = pending;
}

void effect_free_output(struct effect *e)
{
    if (!e->output) return;
    free(e->output->items);
    text_free(&e->output->bytes);
    free(e->output);
    e->output = NULL;
}

static void item_pass(const struct output_item *item, const char *text)
{
    struct printer *to = item->printer;
    switch (item->kind) {
    case OUTPUT_PRINT: to->put(to, text, item->n); break;
    case OUTPUT_FAILED: to->failed(to, text, item->n); break;
    case OUTPUT_OVER: to->over = true; break;
    default: warning_add(item->warnings, item->where, item->line, text); break;
    }
}

static void item_add(const struct warp *w, struct output_item item, const char *text)
{
    struct output *o = w->effect->output;
    w->effect->outside = true;
    if (!o) {
        item_pass(&item, text);
        return;
    }
    item.from = o->bytes.size;
    text_put(&o->bytes, text, item.n);
    text_put(&o->bytes, "", 1);
    *base_push(o->items, o->n, o->room) = item;
    *o->pending = true;
}

void effect_publish(struct effect *e)
{
    struct output *o = e->output;
    if (!o) return;
    for (u32 k = 0; k < o->n; k++) item_pass(&o->items[k], o->bytes.bytes + o->items[k].from);
    o->n = 0;
    o->bytes.size = 0;
}

void output_print(const struct warp *w, bool failed, const char *bytes, size_t n)
{
    struct printer *to = w->block->printer;
    u8 kind = failed ? OUTPUT_FAILED : OUTPUT_PRINT;
    if (to) item_add(w, (struct output_item){.kind = kind, .printer = to, .n = n}, bytes);
}

void output_over(const struct warp *w)
{
    item_add(w, (struct output_item){.kind = OUTPUT_OVER, .printer = w->block->printer}, "");
}

void output_warn(const struct warp *w, const char *where, u32 line, const char *sentence)
{
    struct warnings *to = w->block->warnings;
    struct output_item item = {.kind = OUTPUT_WARNING, .warnings = to, .where = where,
                               .line = line, .n = strlen(sentence)};
    if (to) item_add(w, item, sentence);
}
