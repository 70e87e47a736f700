#include "host/name/kernel_name.h"

#include <string.h>

#include "base/demangle.h"

enum { FORM_N = 8, NEAR_MAX = 3, FORM_SCOPE = 4, FORM_TEMPLATE = 2, FORM_PARAMS = 1 };

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '$';
}

static bool word_is(const char *word, size_t n, const char *name)
{
    return strlen(name) == n && !memcmp(word, name, n);
}

/* Returns the text by which a word of a C++ name is compared and sets *n to its length; 0: the word
 * is ignored. */
static const char *word_compared(const char *word, size_t *n, const char *behind)
{
    static const char *const dropped[] = {"const", "volatile", "__restrict__", "struct", "class"};
    for (u32 i = 0; i < COUNT_OF(dropped); i++)
        if (word_is(word, *n, dropped[i])) *n = 0;
    if (*word >= '0' && *word <= '9') /* 16u equals 16 */
        while (*n > 1 && strchr("uUlL", word[*n - 1])) --*n;
    while (*behind == ' ') behind++;
    if (!word_is(word, *n, "unsigned") || !strncmp(behind, "int", 3) ||
        !strncmp(behind, "char", 4) || !strncmp(behind, "short", 5) || !strncmp(behind, "long", 4))
        return word;
    *n = strlen("unsigned int");
    return "unsigned int";
}

/* Returns the name without insignificant blanks, qualifiers and result type. */
static const char *canonical(const char *name, struct arena *arena)
{
    struct text t = {0};
    if (!strncmp(name, "void ", 5)) name += 5;
    for (const char *p = name; *p;) {
        if (!is_word(*p)) {
            if (*p != ' ') text_put(&t, p, 1);
            p++;
            continue;
        }
        const char *word = p;
        while (is_word(*p)) p++;
        size_t n = (size_t)(p - word);
        word = word_compared(word, &n, p);
        bool apart = n && t.size && is_word(t.bytes[t.size - 1]);
        text_add(&t, "%s%.*s", apart ? " " : "", (int)n, word);
    }
    const char *kept = arena_text(arena, text_get(&t), t.size);
    text_free(&t);
    return kept;
}

/* Returns the name without the parts whose bits are set in `without`. */
static const char *form_of(const struct cxx_name *n, u32 without, struct arena *arena)
{
    struct text t = {0};
    text_add(&t, "%s%s%s%s", without & FORM_SCOPE ? "" : n->scope, n->name,
             without & FORM_TEMPLATE ? "" : n->template, without & FORM_PARAMS ? "" : n->params);
    const char *form = canonical(text_get(&t), arena);
    text_free(&t);
    return form;
}

static const char *function_shown(const char *name, struct arena *arena)
{
    struct text t = {0};
    demangle_show(name, &t);
    const char *shown = arena_text(arena, text_get(&t), t.size);
    text_free(&t);
    return shown;
}

const char *kernel_shown(const struct module *m, u32 kernel, struct arena *arena)
{
    return function_shown(ptx_kernel_name(m, kernel), arena);
}

const char *program_shown(const struct program *p, struct arena *arena)
{
    return arena_text(arena, p->shown, strlen(p->shown));
}

const char *variable_shown(const struct variable *v, struct arena *arena)
{
    struct cxx_name n;
    if (!demangle(v->name, arena, &n)) return v->name;
    struct text t = {0};
    text_add(&t, "%s%s%s", n.scope, n.name, n.template);
    const char *shown = arena_text(arena, text_get(&t), t.size);
    text_free(&t);
    return shown;
}

/* ---- lookup ---- */

struct name_search {
    const struct module *m;
    struct arena *arena;
    const char *wanted; /* canonical form */
    u32 found[NEAR_MAX], n; /* kernels; `n` may exceed NEAR_MAX */
};

static void search_add(struct name_search *s, u32 kernel)
{
    for (u32 i = 0; i < s->n && i < NEAR_MAX; i++)
        if (s->found[i] == kernel) return;
    if (s->n < NEAR_MAX) s->found[s->n] = kernel;
    s->n++;
}

/* Finds the kernels that match the wanted name with the fewest parts dropped. */
static void search_forms(struct name_search *s)
{
    u32 least = FORM_N;
    for (u32 k = 0; k < ptx_kernel_n(s->m); k++) {
        struct cxx_name n;
        demangle(ptx_kernel_name(s->m, k), s->arena, &n);
        for (u32 form = 0; *n.name && form <= least && form < FORM_N; form++) {
            if (strcmp(form_of(&n, form, s->arena), s->wanted)) continue;
            if (form < least) s->n = 0;
            least = form;
            search_add(s, k);
        }
    }
}

/* "ok" of "ns::ok<float>(int)" */
static const char *bare(const char *canonical_name, struct arena *arena)
{
    const char *start = canonical_name;
    size_t n = strcspn(start, "<(");
    for (size_t i = 0; i + 1 < n; i++)
        if (start[i] == ':' && start[i + 1] == ':') start += i + 2, n -= i + 2, i = (size_t)-1;
    return arena_text(arena, start, n);
}

static void offer(struct nearest *near, u32 kernel, const char *name, u32 *best)
{
    const char *before = near->best;
    nearest_offer(near, name);
    if (near->best != before) *best = kernel;
}

static bool is_found(const struct name_search *s, u32 kernel)
{
    for (u32 i = 0; i < s->n && i < NEAR_MAX; i++)
        if (s->found[i] == kernel) return true;
    return false;
}

/* Adds kernels of the same bare name, then kernels with the nearest names. */
static void search_near(struct name_search *s)
{
    const char *word = bare(s->wanted, s->arena);
    for (u32 k = 0; k < ptx_kernel_n(s->m); k++) {
        struct cxx_name n;
        demangle(ptx_kernel_name(s->m, k), s->arena, &n);
        if (*n.name && !strcmp(n.name, word) && s->n < NEAR_MAX) search_add(s, k);
    }
    for (bool more = true; more && s->n < NEAR_MAX;) {
        struct nearest near;
        u32 best = UINT32_MAX;
        nearest_init(&near, s->wanted);
        for (u32 k = 0; k < ptx_kernel_n(s->m); k++) {
            struct cxx_name n;
            if (is_found(s, k)) continue;
            offer(&near, k, ptx_kernel_name(s->m, k), &best);
            demangle(ptx_kernel_name(s->m, k), s->arena, &n);
            for (u32 form = 0; *n.name && form < FORM_N; form++)
                offer(&near, k, form_of(&n, form, s->arena), &best);
        }
        more = best != UINT32_MAX;
        if (more) search_add(s, best);
    }
}

/* "'a', 'b' or 'c'" */
static void list_found(const struct name_search *s, struct text *out)
{
    u32 shown = min_u32(s->n, NEAR_MAX);
    for (u32 i = 0; i < shown; i++) {
        const char *between = !i ? "" : i + 1 == shown && s->n <= NEAR_MAX ? " or " : ", ";
        text_add(out, "%s'%s'", between, kernel_shown(s->m, s->found[i], s->arena));
    }
    if (s->n > NEAR_MAX) text_add(out, " or %u more", s->n - NEAR_MAX);
}

u32 kernel_find(const struct module *m, const char *file, const char *name,
                const struct source *at, size_t offset, struct fail *fail)
{
    u32 kernel = ptx_kernel_find(m, name);
    if (kernel != UINT32_MAX) return kernel;
    struct arena own;
    arena_init(&own);
    struct name_search s = {.m = m, .arena = &own, .wanted = canonical(name, &own)};
    search_forms(&s);
    if (s.n == 1) {
        kernel = s.found[0];
    } else {
        const char *what = s.n ? "more than one kernel" : "no kernel";
        if (at) fail_at(fail, at, offset, "%s has %s '%s'", file, what, name);
        else fail_plain(fail, "%s has %s '%s'", file, what, name);
        bool several = s.n;
        if (!several) search_near(&s);
        struct text list = {0};
        list_found(&s, &list);
        if (s.n) fail_note(fail, "%s you mean %s?", several ? "do" : "did", text_get(&list));
        if (!ptx_kernel_n(m)) fail_note(fail, "the module has no kernel (.entry)");
        text_free(&list);
    }
    arena_free(&own);
    return kernel;
}
