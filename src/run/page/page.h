/* Parts of the HTML pages: head and end, tables, bars. A page is one file: style, scripts and data
 * stand in it, nothing is loaded. Tables and bars are plain HTML, so that they print and are read
 * without a script; curves are drawn by the script (vendor/uplot). page.css has all colours, light
 * and dark, as the reader's system asks. */
#ifndef CORUN_PAGE_H
#define CORUN_PAGE_H

#include "base/text.h"

enum { PAGE_COLOURS = 8 }; /* --app0, --app1, ... of page.css */

void page_start(struct text *out, const char *title, const char *lead);
/* `data`: JSON for the script NAME.js; NULL: the page has none. */
void page_end(struct text *out, const char *script, const struct text *data);

void page_curves(struct text *out); /* for readers without a script: what they do not see */

void page_card(struct text *out, const char *title, const char *sentence); /* NULL: none */
void page_card_end(struct text *out);

void page_text(struct text *out, const char *text); /* &, < harmless; lines may break in specs */
const char *page_spaced(const char *name, char *room, size_t n); /* weighted_speedup: a blank */

/* 1,234.500; NAN: a dash. `room`: TEXT_NUMBER. */
const char *page_number(double value, u32 digits, char *room);
u32 page_digits(double most); /* that a short number has, beside others up to `most` */

/* A table: what it holds, for those who do not see it; head cells, the first `word_n` of them over
 * words; then rows of cells. The first cell of a row is its head. */
void page_table(struct text *out, const char *caption, const char *const *heads, u32 n,
                u32 word_n);
void page_row(struct text *out, const char *head);
void page_cell(struct text *out, double value, u32 digits, bool best);
void page_word(struct text *out, const char *text);
void page_line(struct text *out, const char *text); /* its first line */
void page_row_end(struct text *out);
void page_table_end(struct text *out);

/* Words and what they mean, folded away: then each, then the end. */
void page_words(struct text *out, const char *summary);
void page_word_means(struct text *out, const char *name, const char *sentence, const char *unit);
void page_words_end(struct text *out);
void page_metric_words(struct text *out); /* of all metrics */

/* Bars under a heading, each with its name and value; those of one group have one scale. */
void page_bars(struct text *out, const char *title, const char *note);
struct page_piece {
    double share;            /* of the track */
    u32 colour;
    const char *kind;        /* "app" or "cause": whose colours */
    const char *title;
};
void page_bar(struct text *out, const char *name, const struct page_piece *pieces, u32 n,
              const char *value, bool best);
void page_bars_end(struct text *out);

#endif
