#include "run/profile/hot.h"

#include <stdlib.h>
#include <string.h>
#include "run/io/file.h"

static bool is_stall(const struct stat_row *row) { return !strcmp(row->unit, "scheduler cycles"); }

u64 hot_cycles(const struct inst_stat *s)
{
    u64 cycles = s->issued;
    for (u32 i = 0; i < inst_stat_row_n; i++)
        if (is_stall(&inst_stat_rows[i])) cycles += stat_get(s, &inst_stat_rows[i]);
    return cycles;
}

const struct stat_row *hot_cause(const struct inst_stat *s)
{
    const struct stat_row *most = NULL;
    for (u32 i = 0; i < inst_stat_row_n; i++) {
        const struct stat_row *row = &inst_stat_rows[i];
        if (!is_stall(row) || !stat_get(s, row)) continue;
        if (!most || stat_get(s, row) > stat_get(s, most)) most = row;
    }
    return most;
}

const struct source *hot_file(const struct hot_list *h, const char *name)
{
    for (u32 i = 0; i < h->file_n; i++)
        if (!strcmp(h->files[i]->name, name)) return h->files[i];
    return NULL;
}

static const struct source *file_open(struct hot_list *h, const char *name)
{
    const struct source *known = hot_file(h, name);
    if (known) return known;
    struct source *s = base_alloc(sizeof *s);
    struct text why = {0};
    char *bytes = NULL;
    s->name = name;
    if (file_read(name, &bytes, &s->size, &why)) s->text = bytes;
    text_free(&why);
    *base_push(h->files, h->file_n, h->file_room) = s;
    return s;
}

static int by_line(const void *a, const void *b)
{
    const struct hot *x = a, *y = b;
    int order = strcmp(x->in->name, y->in->name);
    if (!order) order = (x->in > y->in) - (x->in < y->in);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static int by_cycles(const void *a, const void *b)
{
    const struct hot *x = a, *y = b;
    u64 cycles = hot_cycles(&x->sum), more = hot_cycles(&y->sum);
    return cycles != more ? (cycles < more) - (cycles > more) : by_line(a, b);
}

static void listing_add(struct hot_list *h, const struct lines *l, const struct listing *x)
{
    for (u32 pc = 0; pc < x->code_n; pc++) {
        const struct listing_line *at = &x->lines[pc];
        const struct source *in = at->text == UINT32_MAX ? NULL : &l->texts[at->text];
        u32 line = at->line;
        if (at->origin.file) {
            in = file_open(h, at->origin.file);
            line = at->origin.line;
        }
        if (in) *base_push(h->at, h->n, h->room) = (struct hot){in, line, x->counts[pc]};
    }
}

void hot_find(struct hot_list *h, const struct lines *l)
{
    *h = (struct hot_list){0};
    for (u32 i = 0; i < l->listing_n; i++) listing_add(h, l, &l->listings[i]);
    if (!h->n) return;
    qsort(h->at, h->n, sizeof *h->at, by_line);
    u32 kept = 0;
    for (u32 i = 1; i < h->n; i++) {
        if (by_line(&h->at[kept], &h->at[i])) h->at[++kept] = h->at[i];
        else stat_sum(&h->at[kept].sum, &h->at[i].sum, sizeof h->at[i].sum);
    }
    h->n = kept + 1;
    qsort(h->at, h->n, sizeof *h->at, by_cycles);
}

void hot_free(struct hot_list *h)
{
    for (u32 i = 0; i < h->file_n; i++) {
        free((char *)h->files[i]->text);
        free(h->files[i]);
    }
    free(h->files);
    free(h->at);
    *h = (struct hot_list){0};
}

void hot_text(const struct source *s, u32 line, struct text *out)
{
    if (!s->size) return;
    const char *at = s->text, *end = s->text + s->size;
    for (u32 n = 1; at && n < line; n++) {
        at = memchr(at, '\n', (size_t)(end - at));
        if (at) at++;
    }
    if (!at || !line) return;
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    if (!stop) stop = end;
    while (at < stop && strchr(" \t", *at)) at++;
    while (at < stop && strchr(" \t\r", stop[-1])) stop--;
    for (bool blank = false; at < stop; at++) {
        bool is_blank = strchr(" \t", *at);
        if (!is_blank || !blank) text_put(out, is_blank ? " " : at, 1);
        blank = is_blank;
    }
}
