#include "run/catalog/facts.h"

#include <string.h>
#include "run/io/asset.h"

/* Reads a CSV cell, removes its quotes and advances *at behind the comma. *last: the cell is the
 * last of its line. */
static const char *cell_take(struct facts *f, const char **at, const char *end, bool *last)
{
    const char *p = *at;
    char *cell = arena_array(&f->arena, char, end - p + 1);
    bool quoted = p < end && *p == '"';
    size_t n = 0;
    for (p += quoted; p < end; p++) {
        if (quoted && *p == '"') {
            if (p + 1 == end || p[1] != '"') break;
            p++;
        } else if (!quoted && *p == ',') {
            break;
        }
        cell[n++] = *p;
    }
    if (quoted) check(p < end && *p == '"');
    p += quoted;
    *last = p == end;
    check(*last || *p == ',');
    *at = p + !*last;
    return cell;
}

static u32 line_take(struct facts *f, const char *line, const char *end, const char **cells)
{
    u32 n = 0;
    for (bool last = false; !last;) {
        check(n < FACT_COLUMNS);
        cells[n++] = cell_take(f, &line, end, &last);
    }
    return n;
}

void facts_open(struct facts *f, const char *path)
{
    struct source s;
    bool found = asset_find(path, &s);
    check(found);
    *f = (struct facts){.path = path};
    arena_init(&f->arena);
    const char *end = s.text + s.size;
    u32 lines = 0;
    for (const char *p = s.text; p < end; p++) lines += *p == '\n';
    f->rows = arena_array(&f->arena, struct fact, lines);
    for (const char *p = s.text, *next; p < end; p = next + 1) {
        next = memchr(p, '\n', (size_t)(end - p));
        check(next);
        if (!f->column_n) {
            f->column_n = line_take(f, p, next, f->columns);
        } else {
            u32 n = line_take(f, p, next, f->rows[f->row_n++].cells);
            check(n == f->column_n);
        }
    }
    check(f->column_n);
}

void facts_free(struct facts *f)
{
    arena_free(&f->arena);
    *f = (struct facts){0};
}

const char *facts_cell(const struct facts *f, u32 i, const char *column)
{
    u32 k = 0;
    while (k < f->column_n && strcmp(f->columns[k], column)) k++;
    check(k < f->column_n && i < f->row_n);
    return f->rows[i].cells[k];
}

u32 facts_find(const struct facts *f, u32 from, u32 key_n, const char *const *keys)
{
    check(key_n <= f->column_n);
    for (u32 i = from; i < f->row_n; i++) {
        u32 k = 0;
        while (k < key_n && (!keys[k] || !strcmp(f->rows[i].cells[k], keys[k]))) k++;
        if (k == key_n) return i;
    }
    return f->row_n;
}
