#include "run/catalog/catalog.h"

#include <stdio.h>
#include <string.h>

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

enum { SENTENCE_LEAST = 40, BELOW = 4 }; /* columns of a sentence in the last column; indentation of
                                          * cells below their row */

/* Returns how many bytes of the first word fit a line of `room` columns: the whole word, or of a
 * longer word the part up to a bar, as in leftover|spatial. */
static size_t word_part(const char *text, u32 room)
{
    size_t word = strcspn(text, " "), part = word > room ? room : 0;
    while (part && text[part - 1] != '|') part--;
    return part ? part : word;
}

/* Wraps a text between words; the first line begins at column `indent`. */
static void wrapped(const char *text, u32 indent, u32 columns, struct text *out)
{
    u32 room = indent < columns ? columns - indent : 1, used = 0;
    while (*text) {
        size_t word = word_part(text, room);
        if (used && used + 1 + word > room) {
            text_add(out, "\n%*s", (int)indent, "");
            used = 0;
        }
        if (used) text_put(out, " ", 1);
        text_put(out, text, word);
        used += (u32)word + (used ? 1 : 0);
        text += word;
        if (*text && *text != ' ') used = room; /* the rest of a long word: on the next line */
        while (*text == ' ') text++;
    }
}

/* Prints a row in a table of `columns` columns. Cells that do not fit, and a last column with less
 * than SENTENCE_LEAST columns for its texts, continue below, indented. */
static void terminal_row(u32 n, const char *const *cells, const u32 *widths, u32 columns,
                         struct text *out)
{
    u32 at = 0; /* column of the next cell */
    for (u32 i = 0; i < n; i++) {
        u32 needed = i + 1 < n ? widths[i] : min_u32(widths[i], SENTENCE_LEAST);
        if (i && *cells[i] && at + needed > columns) {
            while (out->bytes[out->size - 1] == ' ') out->bytes[--out->size] = 0;
            text_add(out, "\n%*s", BELOW, "");
            at = BELOW;
        }
        if (i + 1 == n || at + needed > columns) wrapped(cells[i], at, columns, out);
        else text_add(out, "%-*s", (int)widths[i], cells[i]);
        if (i + 1 < n) text_add(out, "  ");
        at += widths[i] + 2;
    }
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

static void terminal_heading(const struct catalog_row *r, bool first, u32 columns,
                             struct text *out)
{
    text_add(out, "%s%s\n", first ? "" : "\n", r->cells[1]);
    if (!r->cells[2] || !*r->cells[2]) return;
    wrapped(r->cells[2], 0, columns, out);
    text_put(out, "\n", 1);
}

/* Prints the column heads once per table, above its first row; not for a first table beginning with
 * a heading. */
static void show_terminal(const struct catalog *c, u32 columns, struct text *out)
{
    u32 widths[CATALOG_COLUMNS] = {0};
    const struct catalog_columns *last = NULL;
    for (const struct catalog_row *r = c->first; r; r = r->next) {
        bool new_columns = r->columns != last;
        if (new_columns) measure(r, widths);
        if (!r->cells[0]) terminal_heading(r, r == c->first, columns, out);
        if (new_columns && (r->cells[0] || last)) {
            terminal_row(r->columns->n, r->columns->heads, widths, columns, out);
        }
        if (r->cells[0]) terminal_row(r->columns->n, r->cells, widths, columns, out);
        last = r->columns;
    }
}

void catalog_show(const struct catalog *c, bool markdown, u32 columns, struct text *out)
{
    if (markdown) show_markdown(c, out);
    else show_terminal(c, columns, out);
}
