/* The roofline: thread instructions per cycle over thread instructions per byte of DRAM traffic,
 * both logarithmic, below the roofs of issue and DRAM bandwidth (Williams, Waterman and Patterson,
 * CACM 2009, with instructions in place of floating-point operations). */
#include <math.h>
#include <string.h>
#include "run/page/page.h"
#include "base/demangle.h"
#include "run/page/profile_page.h"

enum { WIDE = 720, HIGH = 380, LEFT = 70, RIGHT = 20, TOP = 20, BOTTOM = 48 };

struct axis { /* decades */
    double low, high;
    double from, to; /* coordinates of the ends */
};

struct dot {
    const char *app, *kernel; /* kernel NULL: the whole app */
    double ipc, intensity;    /* NAN: no DRAM traffic, or unknown */
    u32 colour;
};

static double place(const struct axis *a, double value)
{
    double part = (log10(value) - a->low) / (a->high - a->low);
    return a->from + fmin(fmax(part, 0), 1) * (a->to - a->from);
}

static struct dot dot_of(const struct profile_row *r, u32 app, u32 kernel)
{
    double ipc = profile_ratio(r, kernel, "inst.ipc_thread");
    double bytes = profile_ratio(r, kernel, "dram.bytes_per_cycle");
    return (struct dot){.app = r->app,
                        .kernel = kernel == PROFILE_APP ? NULL : r->alone.kernels[kernel].name,
                        .ipc = ipc,
                        .intensity = ipc > 0 && bytes > 0 ? ipc / bytes : (double)NAN,
                        .colour = app};
}

/* Calls `visit` for each app with one kernel, and for each kernel of the other apps. */
static void dots_visit(const struct profile_row *rows, u32 n,
                       void (*visit)(const struct dot *d, void *of), void *of)
{
    for (u32 i = 0; i < n; i++) {
        const struct alone *a = &rows[i].alone;
        for (u32 k = 0; k < (a->kernel_n > 1 ? a->kernel_n : 1); k++) {
            struct dot d = dot_of(&rows[i], i, a->kernel_n > 1 ? k : PROFILE_APP);
            visit(&d, of);
        }
    }
}

struct plot {
    struct text *out;
    struct axis x, y;
    double issue, bytes; /* roofs: thread instructions, and bytes of DRAM, per cycle */
};

static void plot_fit(const struct dot *d, void *of)
{
    struct plot *p = of;
    if (!isfinite(d->intensity)) return;
    p->x.low = fmin(p->x.low, floor(log10(d->intensity)));
    p->x.high = fmax(p->x.high, ceil(log10(d->intensity)));
    p->y.low = fmin(p->y.low, floor(log10(d->ipc)));
}

static void put_name(const struct dot *d, struct text *out)
{
    page_text(out, d->app);
    if (!d->kernel) return;
    struct text name = {0};
    demangle_show(d->kernel, &name);
    text_add(out, ": ");
    page_text(out, name.bytes);
    text_free(&name);
}

/* Appends the name of the kernel without parameters, or of the app without folders. */
static void put_short_name(const struct dot *d, struct text *out)
{
    const char *slash = strrchr(d->app, '/');
    struct text name = {0};
    if (d->kernel) demangle_show(d->kernel, &name);
    else text_add(&name, "%s", slash ? slash + 1 : d->app);
    name.bytes[strcspn(name.bytes, "(")] = 0;
    page_unbroken(out, name.bytes);
    text_free(&name);
}

static void put_dot(const struct dot *d, void *of)
{
    struct plot *p = of;
    if (!isfinite(d->intensity)) return;
    double x = place(&p->x, d->intensity), y = place(&p->y, d->ipc);
    bool end = x > WIDE - 180; /* no room for a name on the right */
    text_add(p->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"var(--app%u)\"/>"
                     "<text x=\"%.1f\" y=\"%.1f\"%s>",
             x, y, d->colour % PAGE_COLOURS, end ? x - 9 : x + 9, y + 16,
             end ? " text-anchor=\"end\"" : "");
    put_short_name(d, p->out);
    text_add(p->out, "</text>\n");
}

static void put_axes(const struct plot *p)
{
    for (double k = p->x.low; k <= p->x.high; k++) {
        double x = place(&p->x, pow(10, k));
        text_add(p->out, "<path class=\"rule\" d=\"M%.1f %d V%d\"/><text x=\"%.1f\" y=\"%d\" "
                         "text-anchor=\"middle\">%g</text>\n",
                 x, TOP, HIGH - BOTTOM, x, HIGH - BOTTOM + 18, pow(10, k));
    }
    for (double k = p->y.low; k <= p->y.high; k++) {
        double y = place(&p->y, pow(10, k));
        text_add(p->out, "<path class=\"rule\" d=\"M%d %.1f H%d\"/><text x=\"%d\" y=\"%.1f\" "
                         "text-anchor=\"end\">%g</text>\n",
                 LEFT, y, WIDE - RIGHT, LEFT - 8, y + 4, pow(10, k));
    }
    text_add(p->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">thread instructions per byte "
                     "of DRAM traffic</text>\n<text transform=\"translate(14 %d) rotate(-90)\" "
                     "text-anchor=\"middle\">thread instructions per cycle</text>\n",
             (LEFT + WIDE - RIGHT) / 2, HIGH - 8, (TOP + HIGH - BOTTOM) / 2);
}

/* The roofs meet at the ridge; on its left DRAM limits, on its right issue. */
static void put_roofs(const struct plot *p)
{
    double ridge = p->issue / p->bytes, low = pow(10, p->y.low);
    double start = fmax(low / p->bytes, pow(10, p->x.low));
    text_add(p->out, "<path class=\"roof\" d=\"M%.1f %.1f L%.1f %.1f H%d\"/>\n"
                     "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">issue, %g</text>\n"
                     "<text x=\"%.1f\" y=\"%.1f\">DRAM, %.4g bytes per cycle</text>\n",
             place(&p->x, start), place(&p->y, start * p->bytes), place(&p->x, ridge),
             place(&p->y, p->issue), WIDE - RIGHT, WIDE - RIGHT, place(&p->y, p->issue) - 7,
             p->issue, place(&p->x, start) + 24, place(&p->y, start * p->bytes) - 2, p->bytes);
}

static void put_row(const struct dot *d, void *of)
{
    struct plot *p = of;
    double roof = fmin(p->issue, d->intensity * p->bytes);
    text_add(p->out, "<tr><th scope=\"row\">");
    put_name(d, p->out);
    text_add(p->out, "</th>");
    page_cell(p->out, d->ipc, 1, false);
    page_cell(p->out, d->intensity, 2, false);
    page_cell(p->out, isfinite(d->intensity) ? 100 * d->ipc / roof : (double)NAN, 1, false);
    page_word(p->out, !isfinite(d->intensity) ? "-" : roof < p->issue ? "DRAM" : "issue");
    page_row_end(p->out);
}

void page_roofline(const struct profile_row *rows, u32 n, struct text *out)
{
    static const char *const heads[] = {"program", "instructions per cycle",
                                        "instructions per byte", "% of the roof", "roof"};
    const struct machine *m = &rows->gpu->machine;
    struct gpu_capacity peak;
    gpu_capacity(m, 1, &peak);
    struct plot p = {.out = out, .issue = peak.scheduler_cycles * LANES, .bytes = peak.dram_bytes};
    double ridge = log10(p.issue / p.bytes);
    p.x = (struct axis){floor(ridge) - 1, ceil(ridge) + 1, LEFT, WIDE - RIGHT};
    p.y = (struct axis){floor(log10(p.issue)) - 2, ceil(log10(p.issue)), HIGH - BOTTOM, TOP};
    dots_visit(rows, n, plot_fit, &p);
    text_add(out, "<section>\n<h2>Roofline on ");
    page_text(out, rows->gpu->name);
    text_add(out, "</h2>\n<p class=\"about\">A program below the slope is limited by DRAM "
                  "bandwidth at best, a program below the level by issue. Programs far below both "
                  "wait.</p>\n<div class=\"wide\"><svg class=\"roofline\" viewBox=\"0 0 %d %d\" "
                  "role=\"img\" aria-label=\"Roofline\">\n", WIDE, HIGH);
    put_axes(&p);
    put_roofs(&p);
    dots_visit(rows, n, put_dot, &p);
    text_add(out, "</svg></div>\n");
    page_table(out, "Distance from the roofs", heads, COUNT_OF(heads), 1);
    dots_visit(rows, n, put_row, &p);
    page_table_end(out);
    page_card_end(out);
}
