#include "base/warning.h"

#include <stdlib.h>
#include <string.h>

static void add(struct warnings *w, const struct warning *x)
{
    for (u32 i = 0; i < w->n; i++) {
        struct warning *old = &w->at[i];
        if (old->line != x->line || strcmp(old->text, x->text) || strcmp(old->where, x->where))
            continue;
        old->count += x->count;
        return;
    }
    if (w->n == WARNINGS_MAX) return;
    const char *where = arena_text(&w->arena, x->where, strlen(x->where));
    const char *text = arena_text(&w->arena, x->text, strlen(x->text));
    *base_push(w->at, w->n, w->room) = (struct warning){where, text, x->line, x->count};
}

void warning_add(struct warnings *w, const char *where, u32 line, const char *text)
{
    if (w) add(w, &(struct warning){where, text, line, 1});
}

void warning_add_once(struct warnings *w, const char *where, const char *text)
{
    for (u32 i = 0; w && i < w->n; i++)
        if (!strcmp(w->at[i].where, where) && !strcmp(w->at[i].text, text)) return;
    warning_add(w, where, 0, text);
}

void warnings_show(const struct warnings *w, struct text *out)
{
    for (u32 i = 0; i < w->n; i++) {
        const struct warning *x = &w->at[i];
        text_add(out, "warning: %s:", x->where);
        if (x->line) text_add(out, "%u:", x->line);
        text_add(out, " %s", x->text);
        if (x->count > 1) text_add(out, " (%llu times)", (unsigned long long)x->count);
        text_add(out, "\n");
    }
}

void warnings_merge(struct warnings *to, const struct warnings *from)
{
    for (u32 i = 0; i < from->n; i++) add(to, &from->at[i]);
}

void warnings_free(struct warnings *w)
{
    free(w->at);
    arena_free(&w->arena);
    *w = (struct warnings){0};
}
