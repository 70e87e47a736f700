/* Writes the parts of HTML pages: head and end, cards, tables, bars. A page is a self-contained
 * file with style, scripts and data; nothing is loaded. Tables and bars are plain HTML: they print
 * well and need no script. Curves are drawn by a script (vendor/uplot). page.css defines all
 * colours, with a light and a dark scheme chosen by the reader's system. */
#ifndef CORUN_PAGE_H
#define CORUN_PAGE_H

#include "base/text.h"

enum { PAGE_COLOURS = 8 }; /* number of colours --app0, --app1, ... in page.css */

/* Begins a page; `lead` is a paragraph below the title. */
void page_start(struct text *out, const char *title, const char *lead);
/* Writes a sentence on the origin of the results: days (UTC), commit and command; "": unknown. */
struct page_origin {
    const char *from, *to;  /* first and last day, as in 2026-05-31 */
    const char *commit, *command;
};
void page_origin(struct text *out, const struct page_origin *o);
/* The same for results of this process: the day is today's, or SOURCE_DATE_EPOCH's for pages with
 * equal bytes. */
void page_origin_here(struct text *out, const char *command);
/* Ends a page. `script`: asset path of the page's script; `data`: JSON for the script, NULL for a
 * page without a script. */
void page_end(struct text *out, const char *script, const struct text *data);

void page_curves(struct text *out); /* a note about missing curves, shown without scripts */

/* Begins a card, a section of the page. `sentence` may be NULL. */
void page_card(struct text *out, const char *title, const char *sentence);
void page_card_end(struct text *out);

void page_verdict(struct text *out, const char *sentence); /* the sentence that leads a page */

/* Appends a text with HTML characters escaped, and with possible line breaks inside
 * specifications. */
void page_text(struct text *out, const char *text);
/* Appends a text with HTML characters escaped and no other change, as for code. */
void page_unbroken(struct text *out, const char *text);
/* Returns a metric's name for a page, in `room` of n bytes: "weighted speedup", "ANTT". */
const char *page_spaced(const char *name, char *room, size_t n);

/* Returns a number as text, as in 1,234.500; a dash for NAN. `room` has TEXT_NUMBER bytes. */
const char *page_number(double value, u32 digits, char *room);
u32 page_digits(double most); /* decimals for a short number in a group of numbers up to `most` */

/* Writes a table. `caption` describes the table for screen readers; the first `word_n` of the n
 * columns hold words, the others numbers. Each row begins with a head cell (page_row), cells
 * follow. */
void page_table(struct text *out, const char *caption, const char *const *heads, u32 n,
                u32 word_n);
void page_row(struct text *out, const char *head);
void page_reference_row(struct text *out, const char *head); /* of a reference, not a choice */
void page_cell(struct text *out, double value, u32 digits, bool best);
/* Shows `half`, half the width of a confidence interval, behind the value; NAN: the value alone. */
void page_cell_within(struct text *out, double value, double half, u32 digits, bool best);
/* A cell of a heat map: `share` is the place of the value between the worst, 0, and the best, 1. */
enum { PAGE_HEATS = 7 }; /* number of colours --heat0, --heat1, ... in page.css */
void page_heat(struct text *out, double value, u32 digits, double share, bool best);
void page_heat_scale(struct text *out, const char *worst, const char *best); /* the colour bar */
void page_word(struct text *out, const char *text);
void page_line(struct text *out, const char *text); /* a cell with the first line of the text */
void page_row_end(struct text *out);
void page_table_end(struct text *out);

/* Writes a glossary, initially folded: page_words, page_word_means for each word, page_words_end.
 * `unit` may be NULL. */
void page_words(struct text *out, const char *summary);
void page_word_means(struct text *out, const char *name, const char *sentence, const char *unit);
void page_words_end(struct text *out);
void page_metric_words(struct text *out); /* the glossary of all metrics */

/* Writes a scatter of n points, with a list of their names; nothing if fewer than two points have
 * values. More is better on both axes. */
struct page_point {
    const char *name;
    double x, y;             /* NAN: no value */
    enum { PAGE_PLAIN, PAGE_BEST, PAGE_REFERENCE } kind;
};
void page_scatter(struct text *out, const char *title_x, const char *title_y,
                  const struct page_point *points, u32 n);

/* Writes a group of bars under a heading. Each bar has a name and a value; the caller scales all
 * bars of a group alike. `note` may be NULL. `reference`: a line across all bars, as a fraction of
 * a full bar; NAN: none. */
void page_bars(struct text *out, const char *title, const char *note, double reference);
struct page_piece {
    double share;            /* width as a fraction of a full bar */
    u32 colour;              /* index, modulo PAGE_COLOURS */
    const char *kind;        /* colour scheme: "app" or "cause" */
    const char *title;       /* tooltip, or NULL */
    double half;             /* half the width of a confidence interval around the end of the bar,
                              * as a fraction of a full bar; 0 or NAN: none */
};
void page_bar(struct text *out, const char *name, const struct page_piece *pieces, u32 n,
              const char *value, bool best);
void page_bars_end(struct text *out);

#endif
