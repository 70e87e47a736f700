#include "run/catalog/catalog.h"

#include <stdio.h>
#include <string.h>

enum { SENTENCE_COLUMNS = 100 }; /* width of a table on a terminal */

void catalog_columns(struct catalog *c, u32 n, const char *const *heads)
{
    struct catalog_columns *columns = arena_new(&c->arena, struct catalog_columns);
    check(n <= CATALOG_COLUMNS);
    columns->n = n;
    for (u32 i = 0; i < n; i++) {
        columns->heads[i] = arena_text(&c->arena, heads[i], strlen(heads[i]));
    }
    c->columns = columns;
}

void catalog_start(struct catalog *c, const char *title, const char *intro, u32 column_n,
                   const char *const *columns)
{
    *c = (struct catalog){.title = title, .intro = intro};
    arena_init(&c->arena);
    catalog_columns(c, column_n, columns);
}

static struct catalog_row *row_new(struct catalog *c)
{
    struct catalog_row *row = arena_new(&c->arena, struct catalog_row);
    row->columns = c->columns;
    if (c->last) c->last->next = row;
    else c->first = row;
    c->last = row;
    return row;
}

void catalog_heading(struct catalog *c, const char *text)
{
    row_new(c)->cells[1] = arena_text(&c->arena, text, strlen(text));
}

void catalog_section(struct catalog *c, const char *text, const char *sentence)
{
    catalog_heading(c, text);
    c->last->cells[2] = arena_text(&c->arena, sentence, strlen(sentence));
}

void catalog_table(struct catalog *c, const char *text, u32 column_n, const char *const *columns)
{
    catalog_columns(c, column_n, columns);
    catalog_heading(c, text);
}

void catalog_add(struct catalog *c, const char *const *cells)
{
    struct catalog_row *row = row_new(c);
    for (u32 i = 0; i < row->columns->n; i++) {
        const char *text = cells[i] ? cells[i] : "";
        row->cells[i] = arena_text(&c->arena, text, strlen(text));
    }
}

const char *catalog_text(struct catalog *c, const char *format, ...)
{
    struct text t = {0};
    va_list args;
    va_start(args, format);
    text_addv(&t, format, args);
    va_end(args);
    const char *kept = arena_text(&c->arena, text_get(&t), t.size);
    text_free(&t);
    return kept;
}

void catalog_free(struct catalog *c)
{
    arena_free(&c->arena);
    *c = (struct catalog){0};
}

/* ---- Markdown ---- */

static void markdown_row(u32 n, const char *const *cells, struct text *out)
{
    for (u32 i = 0; i < n; i++) {
        text_add(out, "| ");
        for (const char *p = cells[i]; *p; p++) {
            if (*p == '|' || *p == '<' || *p == '*') text_put(out, "\\", 1);
            text_put(out, p, 1);
        }
        text_add(out, " ");
    }
    text_add(out, "|\n");
}

static void markdown_head(const struct catalog_row *first, struct text *out)
{
    text_put(out, "\n", 1);
    markdown_row(first->columns->n, first->columns->heads, out);
    for (u32 i = 0; i < first->columns->n; i++) text_add(out, "|---");
    text_add(out, "|\n");
}

static void show_markdown(const struct catalog *c, struct text *out)
{
    text_add(out, "# %s\n\n%s\n", c->title, c->intro);
    if (c->first && c->first->cells[0]) markdown_head(c->first, out);
    for (const struct catalog_row *r = c->first; r; r = r->next) {
        if (r->cells[0]) {
            markdown_row(r->columns->n, r->cells, out);
            continue;
        }
        text_add(out, "\n## %s\n", r->cells[1]);
        if (r->cells[2] && *r->cells[2]) text_add(out, "\n%s\n", r->cells[2]);
        if (r->next && r->next->cells[0]) markdown_head(r->next, out);
    }
}

/* ---- terminal ---- */

/* Wraps the last column between words. */
static void wrapped(const char *text, u32 indent, struct text *out)
{
    u32 room = indent + 40 < SENTENCE_COLUMNS ? SENTENCE_COLUMNS - indent : 40, used = 0;
    while (*text) {
        size_t word = strcspn(text, " ");
        if (used && used + 1 + word > room) {
            text_add(out, "\n%*s", (int)indent, "");
            used = 0;
        }
        if (used) text_put(out, " ", 1);
        text_put(out, text, word);
        used += (u32)word + (used ? 1 : 0);
        text += word;
        while (*text == ' ') text++;
    }
}

static void terminal_row(u32 n, const char *const *cells, const u32 *widths, struct text *out)
{
    u32 indent = 0;
    for (u32 i = 0; i + 1 < n; i++) {
        text_add(out, "%-*s  ", (int)widths[i], cells[i]);
        indent += widths[i] + 2;
    }
    wrapped(cells[n - 1], indent, out);
    while (out->size && out->bytes[out->size - 1] == ' ') out->bytes[--out->size] = 0;
    text_put(out, "\n", 1);
}

/* Computes the column widths of the table beginning with row `first`. */
static void measure(const struct catalog_row *first, u32 *widths)
{
    const struct catalog_columns *columns = first->columns;
    for (u32 i = 0; i < columns->n; i++) widths[i] = (u32)strlen(columns->heads[i]);
    for (const struct catalog_row *r = first; r && r->columns == columns; r = r->next) {
        for (u32 i = 0; r->cells[0] && i < columns->n; i++) {
            widths[i] = max_u32(widths[i], (u32)strlen(r->cells[i]));
        }
    }
}

static void terminal_heading(const struct catalog_row *r, bool first, struct text *out)
{
    text_add(out, "%s%s\n", first ? "" : "\n", r->cells[1]);
    if (!r->cells[2] || !*r->cells[2]) return;
    wrapped(r->cells[2], 0, out);
    text_put(out, "\n", 1);
}

/* Prints the column heads once per table, above its first row; not for a first table beginning with
 * a heading. */
static void show_terminal(const struct catalog *c, struct text *out)
{
    u32 widths[CATALOG_COLUMNS] = {0};
    const struct catalog_columns *last = NULL;
    for (const struct catalog_row *r = c->first; r; r = r->next) {
        bool new_columns = r->columns != last;
        if (new_columns) measure(r, widths);
        if (!r->cells[0]) terminal_heading(r, r == c->first, out);
        if (new_columns && (r->cells[0] || last)) {
            terminal_row(r->columns->n, r->columns->heads, widths, out);
        }
        if (r->cells[0]) terminal_row(r->columns->n, r->cells, widths, out);
        last = r->columns;
    }
}

void catalog_show(const struct catalog *c, bool markdown, struct text *out)
{
    if (markdown) show_markdown(c, out);
    else show_terminal(c, out);
}
