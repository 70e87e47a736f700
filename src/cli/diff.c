/* corun diff: shows the differences between two machines, results, databases or points, grouped by
 * object. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "cli/common/setup.h"
#include "run/diff/diff.h"
#include "run/diff/side.h"

/* Columns: key, old, new, change. Words longer than WORD_MOST may exceed their column. */
enum { COLUMNS = 4, WORD_MOST = 20 };

struct cells {
    struct text at[COLUMNS];
};

/* Formats a row. Different numbers with equal short forms are shown with all digits. */
static void cells_of(const struct diff_row *r, struct cells *c)
{
    *c = (struct cells){0};
    text_add(&c->at[0], "  %s", r->key);
    for (u32 all = 0; all < 2; all++) {
        for (u32 i = 0; i < 2; i++) {
            c->at[1 + i].size = 0;
            diff_value(r, i, all, &c->at[1 + i]);
        }
        if (strcmp(c->at[1].bytes, c->at[2].bytes)) break;
    }
    if (!isnan(r->percent)) text_add(&c->at[3], "%+.*f %%", fabs(r->percent) < 10 ? 2 : 1,
                                     r->percent);
}

static void show_line(const struct cells *c, const size_t *widths, struct text *out)
{
    text_add(out, "%-*s", (int)widths[0], text_get(&c->at[0]));
    for (u32 i = 1; i < COLUMNS; i++)
        text_add(out, "  %*s", (int)widths[i], text_get(&c->at[i]));
    while (out->size && out->bytes[out->size - 1] == ' ') out->bytes[--out->size] = 0;
    text_put(out, "\n", 1);
}

static void show_rows(const struct diff *d, struct text *out)
{
    static const char *const heads[COLUMNS] = {"", "old", "new", "change"};
    struct cells head = {0}, *rows = base_alloc(d->row_n * sizeof *rows);
    size_t widths[COLUMNS] = {0};
    for (u32 i = 0; i < COLUMNS; i++) {
        text_add(&head.at[i], "%s", heads[i]);
        widths[i] = strlen(heads[i]);
    }
    for (u32 r = 0; r < d->row_n; r++) {
        cells_of(&d->rows[r], &rows[r]);
        for (u32 i = 0; i < COLUMNS; i++) {
            size_t n = rows[r].at[i].size;
            if (n > widths[i] && (!i || n <= WORD_MOST)) widths[i] = n;
        }
    }
    show_line(&head, widths, out);
    for (u32 r = 0; r < d->row_n; r++) {
        bool new = !r || strcmp(d->rows[r].in, d->rows[r - 1].in);
        if (new && *d->rows[r].in) text_add(out, "%s\n", d->rows[r].in);
        show_line(&rows[r], widths, out);
        for (u32 i = 0; i < COLUMNS; i++) text_free(&rows[r].at[i]);
    }
    for (u32 i = 0; i < COLUMNS; i++) text_free(&head.at[i]);
    free(rows);
}

static void show_table(const struct diff *d, const char *const *names, struct text *out)
{
    if (!d->row_n) {
        text_add(out, "%s and %s are equal\n", names[0], names[1]);
        return;
    }
    text_add(out, "%s and %s: %u value%s differ%s\n\n", names[0], names[1], d->row_n,
             d->row_n == 1 ? "" : "s", d->row_n == 1 ? "s" : "");
    show_rows(d, out);
}

static bool check_output(const struct output *output, const struct options *o, struct fail *fail)
{
    for (u32 i = 0; i < 2; i++) {
        struct text file = {0};
        side_file(o->operands[i], &file);
        reads_note(text_get(&file));
        text_free(&file);
    }
    return outputs_check(output, 1, fail);
}

int command_diff(const struct options *o, struct console *c)
{
    const struct output output = output_option("--json", o->json);
    struct diff d = {0};
    if (o->operand_n != 2) {
        fail_plain(&c->fail, "expected two machines, two results, two databases or two points");
        fail_note(&c->fail, "a machine is a name or a .yaml file; a result is a file from --json; "
                  "a database is from corun sweep, a point FILE.db#POSITION or FILE.db#KEY");
        return EXIT_INPUT;
    }
    bool ok = diff_make(&d, o->operands, &c->fail) && check_output(&output, o, &c->fail);
    if (ok && o->json) {
        struct text json = {0};
        diff_json(&d, o->operands, &json);
        ok = setup_write(o->json, &json, c);
        text_free(&json);
    }
    if (ok && setup_table(&output, 1, o)) show_table(&d, o->operands, &c->out);
    int different = o->exit_code && d.row_n ? EXIT_ABNORMAL : EXIT_DONE;
    diff_free(&d);
    return ok ? different : EXIT_INPUT;
}
