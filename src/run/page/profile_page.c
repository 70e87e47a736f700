#include "run/page/profile_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "run/page/page.h"
#include "run/profile/hot.h"

/* ---- source and PTX beside each other ---- */

struct column { /* a listing of the page: a source file, or the PTX of an app */
    struct text *out;
    u32 app;
    double whole;               /* scheduler cycles of the app */
    double most;                /* of a line, for the heat */
};

static const char *const heads[] = {"line", "cycles", "text", "main stall", "issues", "L1 misses",
                                    "sectors", "conflicts", "lanes"};

static double mean(u64 over, u64 under)
{
    return under ? (double)over / (double)under : (double)NAN;
}

static void put_code(const struct source *in, u32 line, struct text *out)
{
    struct text code = {0};
    if (in) hot_text(in, line, &code);
    text_mask(&code);
    text_add(out, "<td class=\"word code\">");
    page_unbroken(out, text_get(&code));
    text_add(out, "</td>");
    text_free(&code);
}

/* Writes all cells behind the line's number. */
static void put_line(const struct column *c, const struct inst_stat *s, const struct source *in,
                     u32 line)
{
    double part = (double)hot_cycles(s) / c->whole;
    const struct stat_row *cause = hot_cause(s);
    text_add(c->out, "<td class=\"heat\" style=\"--heat:%.0f%%\">%.2f %%</td>",
             c->most > 0 ? 100 * part / c->most : 0, 100 * part);
    put_code(in, line, c->out);
    page_word(c->out, cause ? cause->name : "");
    page_cell(c->out, (double)s->issued, 0, false);
    page_cell(c->out, (double)s->l1_misses, 0, false);
    page_cell(c->out, mean(s->sectors, s->memory_instructions), 1, false);
    page_cell(c->out, (double)s->conflict_cycles, 0, false);
    page_cell(c->out, mean(s->threads, s->issued), 1, false);
    page_row_end(c->out);
}

/* ids of lines on the page: sAPP-FILE-LINE for source lines, pAPP-LISTING-PC for instructions */
static void put_id(const struct column *c, char kind, u32 part, u32 line, struct text *out)
{
    text_add(out, "%c%u-%u-%u", kind, c->app, part, line);
}

static u32 file_index(const struct hot_list *h, const char *name)
{
    u32 i = 0;
    while (i < h->file_n && strcmp(h->files[i]->name, name)) i++;
    return i;
}

/* Returns the first instruction of a source line: listing in the high half, pc in the low half. */
static u64 instruction_of(const struct lines *l, const char *file, u32 line)
{
    for (u32 i = 0; i < l->listing_n; i++)
        for (u32 pc = 0; pc < l->listings[i].code_n; pc++) {
            const struct origin *o = &l->listings[i].lines[pc].origin;
            if (o->file && o->line == line && !strcmp(o->file, file)) return (u64)i << 32 | pc;
        }
    return 0;
}

static int by_place(const void *a, const void *b)
{
    const struct hot *x = a, *y = b;
    int order = strcmp(x->in->name, y->in->name);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static void show_source(const struct column *c, const struct lines *l, struct hot_list *h)
{
    struct text *out = c->out;
    qsort(h->at, h->n, sizeof *h->at, by_place);
    for (u32 f = 0; f < h->file_n; f++) {
        text_add(out, "<h3>");
        page_text(out, h->files[f]->name);
        text_add(out, "%s</h3>\n", h->files[f]->size ? "" : " <small>(cannot be read)</small>");
        page_table(out, "Source lines", heads, COUNT_OF(heads), 1);
        for (u32 i = 0; i < h->n; i++) {
            const struct hot *x = &h->at[i];
            if (x->in != h->files[f]) continue;
            u64 at = instruction_of(l, x->in->name, x->line);
            text_add(out, "<tr id=\"");
            put_id(c, 's', f, x->line, out);
            text_add(out, "\"><th scope=\"row\"><a href=\"#");
            put_id(c, 'p', (u32)(at >> 32), (u32)at, out);
            text_add(out, "\">%u</a></th>", x->line);
            put_line(c, &x->sum, x->in, x->line);
        }
        page_table_end(out);
    }
}

static void show_listing(const struct column *c, const struct lines *l, const struct hot_list *h,
                         u32 listing)
{
    const struct listing *x = &l->listings[listing];
    struct text *out = c->out;
    text_add(out, "<h3>");
    page_text(out, x->kernel);
    text_add(out, " <small>PTX</small></h3>\n");
    page_table(out, "Instructions", heads, COUNT_OF(heads), 1);
    for (u32 pc = 0; pc < x->code_n; pc++) {
        const struct listing_line *at = &x->lines[pc];
        text_add(out, "<tr id=\"");
        put_id(c, 'p', listing, pc, out);
        text_add(out, "\"><th scope=\"row\">");
        if (at->origin.file) {
            text_add(out, "<a href=\"#");
            put_id(c, 's', file_index(h, at->origin.file), at->origin.line, out);
            text_add(out, "\">%u</a></th>", at->line);
        } else {
            text_add(out, "%u</th>", at->line);
        }
        put_line(c, &x->counts[pc], at->text == UINT32_MAX ? NULL : &l->texts[at->text], at->line);
    }
    page_table_end(out);
}

void page_lines(const struct profile_row *row, u32 app, struct text *out)
{
    const struct lines *l = row->lines;
    struct hot_list hot;
    if (!l || !row->alone.known) return;
    hot_find(&hot, l);
    struct column c = {.out = out, .app = app, .whole = row->capacity.scheduler_cycles};
    if (hot.n) c.most = (double)hot_cycles(&hot.at[0].sum) / c.whole;
    text_add(out, "<section>\n<h2>");
    page_text(out, row->app);
    text_add(out, " on ");
    page_text(out, row->gpu->name);
    text_add(out, "</h2>\n<p class=\"about\">cycles: share of the scheduler cycles of the GPU, "
                  "issues and stalls. sectors: 32-byte sectors per memory instruction. conflicts: "
                  "cycles of bank conflicts in shared memory. lanes: mean number of active "
                  "lanes.%s</p>\n<div class=\"%s\"><div>\n",
             hot.file_n ? " A line's number links to the other listing." : "",
             hot.file_n ? "two listings" : "listings");
    show_source(&c, l, &hot);
    if (hot.file_n) text_add(out, "</div><div>\n");
    for (u32 i = 0; i < l->listing_n; i++) show_listing(&c, l, &hot, i);
    text_add(out, "</div></div>\n");
    page_card_end(out);
    hot_free(&hot);
}

/* ---- the page ---- */

static void put_glossary(struct text *out)
{
    page_words(out, "description of the stalls and counters");
    for (u32 i = 0; i < inst_stat_row_n; i++)
        page_word_means(out, inst_stat_rows[i].name, inst_stat_rows[i].sentence,
                        inst_stat_rows[i].unit);
    page_words_end(out);
}

void profile_page(const struct profile *p, struct text *out)
{
    const struct sim_setup *s = &p->setup->sim;
    struct text title = {0}, lead = {0};
    for (u32 a = 0; a < s->app_n; a++) text_add(&title, "%s%s", a ? ", " : "", s->apps[a]);
    text_add(&lead, "Each program alone, until %s", until_name(s->until));
    if (s->cycles) text_add(&lead, ", %llu cycles", (unsigned long long)s->cycles);
    page_start(out, title.bytes, lead.bytes);
    if (s->command) page_origin_here(out, s->command);
    for (u32 g = 0; g < p->setup->gpu_n; g++)
        page_roofline(&p->rows[g * s->app_n], s->app_n, out);
    for (u32 i = 0; i < p->row_n; i++) page_lines(&p->rows[i], i, out);
    if (s->lines) put_glossary(out);
    page_end(out, NULL, NULL);
    text_free(&title);
    text_free(&lead);
}
