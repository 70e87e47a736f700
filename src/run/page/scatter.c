/* A scatter of named points as SVG: throughput against fairness. Points have numbers, and a list
 * beside the figure names the numbers: names of policies are too long for labels. */
#include "run/page/page.h"

#include <math.h>
#include <stdlib.h>
#include "base/arena.h"

/* In pixels: a figure as wide as the narrowest page; `LABEL`: radius of a label. */
enum { WIDTH = 340, HEIGHT = 280, LEFT = 62, RIGHT = 8, TOP = 8, BOTTOM = 46, LABEL = 9, DOT = 4 };
enum { TICKS = 5 };

struct scale { double from, to, step; };
struct spot { double x, y; };
struct scatter {
    const struct page_point *points;
    u32 n;
    struct scale x, y;
    struct spot *dots, *labels; /* [point] in pixels; dots[i].x NAN: the point has no values */
};

/* Returns a step of 1, 2 or 5 times a power of ten for about TICKS steps in `range`. */
static double step_of(double range)
{
    double unit = 1e-9, rough = range / TICKS;
    while (unit * 10 <= rough) unit *= 10;
    return rough <= unit ? unit : rough <= 2 * unit ? 2 * unit
         : rough <= 5 * unit ? 5 * unit : 10 * unit;
}

/* Returns a scale with all values, and more than a single value. */
static struct scale scale_of(double least, double most)
{
    double margin = fmax((most - least) * 0.1, fmax(fabs(most) * 0.01, 1e-3));
    double step = step_of(most - least + 2 * margin);
    return (struct scale){floor((least - margin) / step) * step,
                          ceil((most + margin) / step) * step, step};
}

static double at(const struct scale *s, double value, double first, double last)
{
    return first + (value - s->from) / (s->to - s->from) * (last - first);
}

static bool find_scales(struct scatter *s)
{
    double least[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY};
    u32 n = 0;
    for (u32 i = 0; i < s->n; i++) {
        const double value[2] = {s->points[i].x, s->points[i].y};
        if (!isfinite(value[0]) || !isfinite(value[1])) continue;
        for (u32 k = 0; k < 2; k++) {
            least[k] = fmin(least[k], value[k]);
            most[k] = fmax(most[k], value[k]);
        }
        n++;
    }
    if (n < 2) return false;
    s->x = scale_of(least[0], most[0]);
    s->y = scale_of(least[1], most[1]);
    return true;
}

static bool near(struct spot a, struct spot b, double distance)
{
    return hypot(a.x - b.x, a.y - b.y) < distance;
}

/* Returns true if label i at `here` is inside the figure and covers no dot and no earlier label. */
static bool is_free(const struct scatter *s, u32 i, struct spot here)
{
    if (here.x < LEFT + LABEL || here.x > WIDTH - RIGHT - LABEL || here.y < TOP + LABEL ||
        here.y > HEIGHT - BOTTOM - LABEL) return false;
    for (u32 k = 0; k < s->n; k++) {
        if (isfinite(s->dots[k].x) && near(here, s->dots[k], LABEL + DOT + 1)) return false;
        bool label = k < i && isfinite(s->dots[k].x);
        if (label && near(here, s->labels[k], 2 * LABEL + 1)) return false;
    }
    return true;
}

/* Places each label at the nearest free spot around the dot, of eight directions. */
static void place(struct scatter *s)
{
    static const signed char way[8][2] = {{1, -1}, {1, 1}, {-1, -1}, {-1, 1},
                                          {1, 0}, {-1, 0}, {0, -1}, {0, 1}};
    for (u32 i = 0; i < s->n; i++) {
        const struct page_point *p = &s->points[i];
        s->dots[i] = (struct spot){(double)NAN, (double)NAN};
        if (!isfinite(p->x) || !isfinite(p->y)) continue;
        s->dots[i] = (struct spot){at(&s->x, p->x, LEFT, WIDTH - RIGHT),
                                   at(&s->y, p->y, HEIGHT - BOTTOM, TOP)};
    }
    for (u32 i = 0; i < s->n; i++) {
        struct spot dot = s->dots[i];
        bool placed = !isfinite(dot.x);
        s->labels[i] = dot;
        for (u32 k = 0; k < 8 * 12 && !placed; k++) {
            double far = 11 + 6 * (k / 8);
            struct spot here = {dot.x + far * way[k % 8][0], dot.y + far * way[k % 8][1]};
            placed = is_free(s, i, here);
            if (placed) s->labels[i] = here;
        }
    }
}

static void show_axes(const struct scatter *s, const char *title_x, const char *title_y,
                      struct text *out)
{
    int bottom = HEIGHT - BOTTOM, right = WIDTH - RIGHT;
    u32 digits_x = s->x.step < 0.01 ? 3 : s->x.step < 0.1 ? 2 : 1;
    u32 digits_y = s->y.step < 0.01 ? 3 : s->y.step < 0.1 ? 2 : 1;
    for (double v = s->x.from; v <= s->x.to + s->x.step / 2; v += s->x.step) {
        double x = at(&s->x, v, LEFT, right);
        text_add(out, "<path class=\"grid-line\" d=\"M%.1f %dV%d\"/><text x=\"%.1f\" y=\"%d\" "
                      "text-anchor=\"%s\">%.*f</text>\n", x, TOP, bottom, x, bottom + 16,
                 x > right - 8 ? "end" : "middle", (int)digits_x, v);
    }
    for (double v = s->y.from; v <= s->y.to + s->y.step / 2; v += s->y.step) {
        double y = at(&s->y, v, bottom, TOP);
        text_add(out, "<path class=\"grid-line\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" "
                      "text-anchor=\"end\">%.*f</text>\n", LEFT, y, right, LEFT - 6,
                 fmax(y + 4, 12), (int)digits_y, v);
    }
    text_add(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s \xe2\x86\x92</text>\n"
                  "<text transform=\"translate(12 %d) rotate(-90)\" text-anchor=\"middle\">%s "
                  "\xe2\x86\x92</text>\n",
             (LEFT + right) / 2, HEIGHT - 8, title_x, (TOP + bottom) / 2, title_y);
}

static const char *const kinds[] = {"plain", "best", "reference"};

static void show_points(const struct scatter *s, struct text *out)
{
    for (u32 i = 0; i < s->n; i++) {
        const struct spot dot = s->dots[i], label = s->labels[i];
        if (!isfinite(dot.x)) continue;
        text_add(out, "<g class=\"%s\"><path d=\"M%.1f %.1fL%.1f %.1f\"/><circle class=\"dot\" "
                      "cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"/><circle class=\"label\" cx=\"%.1f\" "
                      "cy=\"%.1f\" r=\"%d\"/><text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%u"
                      "</text></g>\n", kinds[s->points[i].kind], dot.x, dot.y, label.x, label.y,
                 dot.x, dot.y, DOT, label.x, label.y, LABEL, label.x, label.y + 4, i + 1);
    }
}

static void show_names(const struct scatter *s, struct text *out)
{
    text_add(out, "<ol class=\"points\">\n");
    for (u32 i = 0; i < s->n; i++) {
        text_add(out, "<li class=\"%s\">", kinds[s->points[i].kind]);
        page_text(out, s->points[i].name);
        if (!isfinite(s->dots[i].x)) text_add(out, " <small>no values</small>");
        if (s->points[i].kind == PAGE_BEST) text_add(out, " <small>best</small>");
        if (s->points[i].kind == PAGE_REFERENCE) text_add(out, " <small>reference</small>");
        text_add(out, "</li>\n");
    }
    text_add(out, "</ol>\n");
}

void page_scatter(struct text *out, const char *title_x, const char *title_y,
                  const struct page_point *points, u32 n)
{
    struct scatter s = {.points = points, .n = n};
    if (!find_scales(&s)) return;
    s.dots = base_alloc(n * sizeof *s.dots);
    s.labels = base_alloc(n * sizeof *s.labels);
    place(&s);
    text_add(out, "<div class=\"scatter\"><svg width=\"%d\" height=\"%d\" role=\"img\" "
                  "aria-label=\"%s against %s, a point for each policy; the table has the "
                  "values\">\n", WIDTH, HEIGHT, title_y, title_x);
    show_axes(&s, title_x, title_y, out);
    show_points(&s, out);
    text_add(out, "</svg>\n");
    show_names(&s, out);
    text_add(out, "</div>\n");
    free(s.dots);
    free(s.labels);
}
