#include "run/page/page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/version.h"
#include "run/io/asset.h"
#include "run/study/metric.h"

static void put_asset(struct text *out, const char *path)
{
    struct source s;
    bool found = asset_find(path, &s);
    check(found);
    text_put(out, s.text, s.size);
}

static void put(struct text *out, const char *text) { text_put(out, text, strlen(text)); }

static void put_safe(struct text *out, const char *text, const char *after)
{
    for (const char *p = text; *p; p++) {
        if (*p == '&') put(out, "&amp;");
        else if (*p == '<') put(out, "&lt;");
        else if (*p == '>') put(out, "&gt;");
        else if (*p == '"') put(out, "&quot;");
        else text_put(out, p, 1);
        bool number = *p == ',' && p[1] >= '0' && p[1] <= '9';
        if (strchr(after, *p) && p[1] && !number) put(out, "<wbr>");
    }
}

void page_text(struct text *out, const char *text) { put_safe(out, text, ",[+/"); }

void page_unbroken(struct text *out, const char *text) { put_safe(out, text, ""); }

const char *page_spaced(const char *name, char *room, size_t n)
{
    snprintf(room, n, "%s", name);
    for (char *p = room; *p; p++) {
        if (*p == '_') *p = ' ';
        if (!strcmp(name, "antt")) *p = (char)(*p - 'a' + 'A');
    }
    return room;
}

void page_start(struct text *out, const char *title, const char *lead)
{
    put(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
             "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n<title>");
    put_safe(out, title, "");
    put(out, "</title>\n<style>\n");
    put_asset(out, "vendor/uplot/uPlot.min.css");
    put_asset(out, "src/run/page/page.css");
    put(out, "</style>\n</head>\n<body>\n<header>\n<h1>");
    page_text(out, title);
    put(out, "</h1>\n<p>");
    page_text(out, lead);
    put(out, "</p>\n</header>\n<main>\n");
}

void page_origin(struct text *out, const struct page_origin *o)
{
    bool days = strcmp(o->from, o->to);
    put(out, "<p class=\"about\">");
    if (o->from[0])
        text_add(out, "Run %s%s%s (UTC)", o->from, days ? " to " : "", days ? o->to : "");
    if (o->commit[0]) {
        text_add(out, "%s by corun of commit <code>", o->from[0] ? "" : "Run");
        page_text(out, o->commit);
        put(out, "</code>");
    }
    if (o->command[0]) {
        put(out, ": <code>");
        page_text(out, o->command);
        put(out, "</code>");
    }
    put(out, "</p>\n");
}

void page_origin_here(struct text *out, const char *command)
{
    char day[16];
    const char *fixed = getenv("SOURCE_DATE_EPOCH");
    time_t now = fixed ? (time_t)strtoll(fixed, NULL, 10) : time(NULL);
    struct tm utc;
    strftime(day, sizeof day, "%Y-%m-%d", gmtime_r(&now, &utc));
    page_origin(out, &(struct page_origin){day, day, version_commit, command});
}

/* Writes JSON inside a script element, with '<' escaped: "</script>" in the data must not end the
 * element. */
static void put_data(struct text *out, const struct text *data)
{
    for (size_t i = 0; i < data->size; i++) {
        if (data->bytes[i] == '<') put(out, "\\u003c");
        else text_put(out, &data->bytes[i], 1);
    }
}

void page_end(struct text *out, const char *script, const struct text *data)
{
    put(out, "</main>\n<footer>corun " CORUN_VERSION
             ". Curves are drawn by uPlot 1.6.32, which is under the MIT licence.</footer>\n");
    if (data) {
        put(out, "<script type=\"application/json\" id=\"data\">");
        put_data(out, data);
        put(out, "</script>\n<!-- uPlot:\n");
        put_asset(out, "vendor/uplot/LICENSE");
        put(out, "-->\n<script>\n");
        put_asset(out, "vendor/uplot/uPlot.iife.min.js");
        put(out, "</script>\n<script>\n");
        put_asset(out, "src/run/page/table.js");
        put_asset(out, "src/run/page/chart.js");
        put_asset(out, script);
        put(out, "</script>\n");
    }
    put(out, "</body>\n</html>\n");
}

void page_curves(struct text *out)
{
    put(out, "<noscript><p>The curves need scripts; the rest of the page works without "
             "scripts.</p></noscript>\n");
}

void page_card(struct text *out, const char *title, const char *sentence)
{
    put(out, "<section>\n<h2>");
    page_text(out, title);
    put(out, "</h2>\n");
    if (!sentence) return;
    put(out, "<p class=\"about\">");
    page_text(out, sentence);
    put(out, "</p>\n");
}

void page_verdict(struct text *out, const char *sentence)
{
    put(out, "<p class=\"verdict\">");
    page_text(out, sentence);
    put(out, ".</p>\n");
}

void page_card_end(struct text *out) { put(out, "</section>\n"); }

const char *page_number(double value, u32 digits, char *room)
{
    char plain[TEXT_NUMBER];
    if (!isfinite(value)) return "\xe2\x80\x93";
    snprintf(plain, sizeof plain, fabs(value) < 1e15 ? "%.*f" : "%.*g", (int)digits, value);
    return text_grouped(plain, room);
}

u32 page_digits(double most) { return most < 10 ? 3 : most < 100 ? 2 : most < 1000 ? 1 : 0; }

void page_table(struct text *out, const char *caption, const char *const *heads, u32 n,
                u32 word_n)
{
    put(out, "<div class=\"wide\"><table>\n<caption>");
    page_text(out, caption);
    put(out, "</caption>\n<thead><tr>");
    for (u32 i = 0; i < n; i++) {
        put(out, i < word_n ? "<th scope=\"col\" class=\"word\">" : "<th scope=\"col\">");
        page_text(out, heads[i]);
        put(out, "</th>");
    }
    put(out, "</tr></thead>\n<tbody>\n");
}

void page_row(struct text *out, const char *head)
{
    put(out, "<tr><th scope=\"row\">");
    page_text(out, head);
    put(out, "</th>");
}

void page_reference_row(struct text *out, const char *head)
{
    put(out, "<tr class=\"reference\"><th scope=\"row\">");
    page_text(out, head);
    put(out, "</th>");
}

void page_cell_within(struct text *out, double value, double half, u32 digits, bool best)
{
    char room[TEXT_NUMBER];
    put(out, best ? "<td class=\"best\">" : "<td>");
    put(out, page_number(value, digits, room));
    if (isfinite(half)) {
        put(out, " <small>&plusmn; ");
        put(out, page_number(half, digits, room));
        put(out, "</small>");
    }
    put(out, "</td>");
}

void page_cell(struct text *out, double value, u32 digits, bool best)
{
    page_cell_within(out, value, (double)NAN, digits, best);
}

void page_heat(struct text *out, double value, u32 digits, double share, bool best)
{
    char room[TEXT_NUMBER];
    if (isfinite(share)) {
        u32 heat = (u32)fmin(PAGE_HEATS * share, PAGE_HEATS - 1);
        text_add(out, "<td class=\"%s\" style=\"background:var(--heat%u)\">",
                 best ? "heat best" : "heat", heat);
    } else {
        put(out, "<td>");
    }
    put(out, page_number(value, digits, room));
    put(out, "</td>");
}

void page_heat_scale(struct text *out, const char *worst, const char *best)
{
    text_add(out, "<p class=\"scale\">worst %s ", worst);
    for (u32 i = 0; i < PAGE_HEATS; i++) {
        text_add(out, "<i style=\"background:var(--heat%u)\"></i>", i);
    }
    text_add(out, " best %s</p>\n", best);
}

void page_word(struct text *out, const char *text)
{
    put(out, "<td class=\"word\">");
    page_text(out, text);
    put(out, "</td>");
}

void page_line(struct text *out, const char *text)
{
    struct text line = {0};
    text_put(&line, text, strcspn(text, "\n"));
    put(out, "<td class=\"word line\">");
    page_text(out, text_get(&line));
    put(out, "</td>");
    text_free(&line);
}

void page_row_end(struct text *out) { put(out, "</tr>\n"); }

void page_table_end(struct text *out) { put(out, "</tbody>\n</table></div>\n"); }

void page_words(struct text *out, const char *summary)
{
    put(out, "<details><summary>");
    page_text(out, summary);
    put(out, "</summary>\n<dl>\n");
}

void page_word_means(struct text *out, const char *name, const char *sentence, const char *unit)
{
    put(out, "<dt>");
    page_text(out, name);
    put(out, "</dt><dd>");
    put_safe(out, sentence, "");
    if (unit) {
        put(out, " <small>Unit: ");
        page_text(out, unit);
        put(out, ".</small>");
    }
    put(out, "</dd>\n");
}

void page_words_end(struct text *out) { put(out, "</dl></details>\n"); }

void page_metric_words(struct text *out)
{
    char name[64];
    page_words(out, "description of the metrics");
    for (u32 i = 0; i < metric_row_n; i++) {
        page_word_means(out, page_spaced(metric_rows[i].name, name, sizeof name),
                        metric_rows[i].sentence, metric_rows[i].unit);
    }
    page_words_end(out);
}

void page_bars(struct text *out, const char *title, const char *note, double reference)
{
    if (isfinite(reference)) {
        text_add(out, "<div class=\"bars referred\" style=\"--reference:%.2f%%\">\n<h3>",
                 100 * reference);
    } else {
        put(out, "<div class=\"bars\">\n<h3>");
    }
    page_text(out, title);
    if (note) {
        put(out, " <small>");
        page_text(out, note);
        put(out, "</small>");
    }
    put(out, "</h3>\n");
}

/* Draws a confidence interval over a bar; shares of a full bar. */
static void put_interval(struct text *out, double middle, double half)
{
    if (!(half > 0)) return;
    double from = fmax(middle - half, 0), to = fmin(middle + half, 1);
    text_add(out, "<b class=\"interval\" style=\"left:%.2f%%;width:%.2f%%\"></b>", 100 * from,
             100 * (to - from));
}

void page_bar(struct text *out, const char *name, const struct page_piece *pieces, u32 n,
              const char *value, bool best)
{
    put(out, best ? "<div class=\"bar best\"><span class=\"name\">"
                  : "<div class=\"bar\"><span class=\"name\">");
    page_text(out, name);
    put(out, "</span><span class=\"track\">");
    for (u32 i = 0; i < n; i++) {
        double share = pieces[i].share > 1 ? 1 : pieces[i].share;
        if (!(share > 0)) continue;
        text_add(out, "<i style=\"width:%.2f%%;background:var(--%s%u)\"", 100 * share,
                 pieces[i].kind, pieces[i].colour % PAGE_COLOURS);
        if (pieces[i].title) {
            put(out, " title=\"");
            put_safe(out, pieces[i].title, "");
            put(out, "\"");
        }
        put(out, "></i>");
        put_interval(out, share, pieces[i].half);
    }
    put(out, "</span><span class=\"value\">");
    page_text(out, value);
    put(out, "</span></div>\n");
}

void page_bars_end(struct text *out) { put(out, "</div>\n"); }
