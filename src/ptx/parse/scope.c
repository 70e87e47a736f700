/* The meaning of names at the current position of the text: a stack of bindings, cut back at each
 * closing brace. Every word points to its innermost binding; a lookup is a single load. */
#include "ptx/parse/parser.h"

#include <stdlib.h>
#include <string.h>

void scope_init(struct parser *p)
{
    /* Binding 0 means "undeclared". */
    arena_push(p->arena, p->bindings, p->binding_n, p->binding_room);
}

bool scope_open(struct parser *p)
{
    if (p->depth >= SCOPE_MAX) return false;
    p->depth++;
    p->marks[p->depth] = p->binding_n;
    p->ref_marks[p->depth] = p->label_ref_n;
    return true;
}

static void label_missing(struct parser *p, const struct arg *a, const struct word *word)
{
    fail_at(p->fail, p->m->source, a->offset, "label '%s' is not defined in the function",
            word->text);
    if (p->fail->error_n > FAIL_MAX) return;
    struct nearest near;
    nearest_init(&near, word->text);
    for (u32 i = 1; i < p->binding_n; i++) {
        if (p->bindings[i].kind == BIND_LABEL) nearest_offer(&near, p->bindings[i].word->text);
    }
    fail_nearest(p->fail, &near);
}

/* Resolves references to labels of the current scope. An unresolved reference is kept for the
 * enclosing scope; in the outermost scope an unresolved reference is an error. */
static void resolve_labels(struct parser *p, bool outermost)
{
    u32 kept = p->ref_marks[p->depth];
    for (u32 i = kept; i < p->label_ref_n; i++) {
        struct label_ref ref = p->label_refs[i];
        struct arg *a = &parser_func(p)->args[ref.arg];
        const struct binding *b = &p->bindings[ref.word->binding];
        if (b->kind == BIND_LABEL && b->depth == p->depth) a->index = b->index;
        else if (outermost) label_missing(p, a, ref.word);
        else p->label_refs[kept++] = ref;
    }
    p->label_ref_n = kept;
}

void scope_close(struct parser *p)
{
    resolve_labels(p, p->depth <= BODY_DEPTH);
    while (p->binding_n > p->marks[p->depth]) {
        struct binding *b = &p->bindings[--p->binding_n];
        b->word->binding = b->outer;
    }
    p->depth--;
}

/* Splits "%r17" into the prefix "%r" and 17. Returns false without digits or with a leading
 * zero. */
static bool split_number(const struct word *w, u32 *prefix, u32 *number)
{
    u32 at = w->size;
    while (at && w->text[at - 1] >= '0' && w->text[at - 1] <= '9') at--;
    u32 digits = w->size - at;
    if (!digits || digits > 9 || !at || (digits > 1 && w->text[at] == '0')) return false;
    *prefix = at;
    *number = (u32)strtoul(w->text + at, NULL, 10);
    return true;
}

/* Returns the innermost family that declares the numbered register, or NULL. */
static const struct binding *family_of(struct parser *p, const struct word *w, u32 *number)
{
    u32 prefix;
    if (p->func_id == NO_INDEX || !split_number(w, &prefix, number)) return NULL;
    const struct family *families = parser_func(p)->families;
    const struct binding *b = scope_find(p, words_get(&p->lex.words, w->text, prefix));
    while (b && b->kind == BIND_FAMILY) {
        if (*number < families[b->index].n) return b;
        b = b->outer ? &p->bindings[b->outer] : NULL;
    }
    return NULL;
}

static bool may_be_numbered(u8 kind) { return kind == BIND_REGISTER || kind == BIND_SYMBOL; }

static void defined_twice(struct parser *p, const struct word *w, u32 offset,
                          const struct binding *old)
{
    u32 line, column;
    fail_at(p->fail, p->m->source, offset, "'%s' is defined twice", w->text);
    if (p->fail->error_n > FAIL_MAX) return;
    source_position(p->m->source, old->offset, &line, &column);
    fail_note(p->fail, "first defined in line %u", line);
}

/* Returns a member of a new family that the current scope has already declared individually, or
 * NULL. Looks up each member: efficient for a small family in a scope with many names. */
static const struct binding *find_member(struct parser *p, const struct word *family, u32 n)
{
    const struct binding *found = NULL;
    struct text name = {0};
    for (u32 i = 0; i < n && !found; i++) {
        name.size = 0;
        text_add(&name, "%s%u", family->text, i);
        const struct word *w = words_find(&p->lex.words, text_get(&name), name.size);
        const struct binding *b = w ? scope_find(p, w) : NULL;
        if (b && b->depth == p->depth && may_be_numbered(b->kind)) found = b;
    }
    text_free(&name);
    return found;
}

/* Same as find_member, but walks the names of the scope: efficient for a large family. */
static const struct binding *find_among(const struct parser *p, const struct word *family, u32 n)
{
    for (u32 i = p->binding_n; i-- > p->marks[p->depth];) {
        const struct binding *b = &p->bindings[i];
        u32 prefix, number;
        if (may_be_numbered(b->kind) && split_number(b->word, &prefix, &number) && number < n &&
            prefix == family->size && !memcmp(b->word->text, family->text, prefix))
            return b;
    }
    return NULL;
}

bool scope_family_is_new(struct parser *p, const struct word *family, u32 n, u32 offset)
{
    if (!p->numbered_n) return true;
    bool is_small = (u64)n * family->size < p->binding_n - p->marks[p->depth];
    const struct binding *b = is_small ? find_member(p, family, n) : find_among(p, family, n);
    if (b) defined_twice(p, b->word, offset, b);
    return !b;
}

struct binding *scope_bind(struct parser *p, struct word *w, u8 kind, u32 index, u32 offset)
{
    const struct binding *old = scope_find(p, w);
    u32 prefix, number;
    if (may_be_numbered(kind) && split_number(w, &prefix, &number)) {
        const struct binding *family = family_of(p, w, &number);
        if (family && family->depth == p->depth) old = family;
        p->numbered_n++;
    }
    if (old && old->depth == p->depth) {
        defined_twice(p, w, offset, old);
        return NULL;
    }
    u32 id = p->binding_n;
    struct binding *b = arena_push(p->arena, p->bindings, p->binding_n, p->binding_room);
    *b = (struct binding){.kind = kind,
                          .index = index,
                          .depth = p->depth,
                          .outer = w->binding,
                          .offset = offset,
                          .word = w};
    w->binding = id;
    return b;
}

const struct binding *scope_find(const struct parser *p, const struct word *w)
{
    return w->binding ? &p->bindings[w->binding] : NULL;
}

bool scope_register(struct parser *p, struct word *w, u32 *reg, u8 *type, u32 *elements)
{
    const struct func *f = parser_func(p);
    const struct binding *b = scope_find(p, w);
    u32 number = 0;
    if (!b || b->depth < p->depth) { /* a family in an inner scope hides a name of an outer scope */
        const struct binding *family = family_of(p, w, &number);
        if (family && (!b || family->depth > b->depth)) b = family;
        else number = 0;
    }
    if (!b || (b->kind != BIND_REGISTER && b->word == w)) return false;
    const struct family *family = &f->families[b->index];
    *reg = family->first + number * family->elements;
    *type = family->type;
    *elements = family->elements;
    return true;
}

/* Adds a note with the range of the family if the number of the register is out of range. */
static bool beyond_family(struct parser *p, const struct word *w)
{
    u32 prefix, number;
    if (p->func_id == NO_INDEX || !split_number(w, &prefix, &number)) return false;
    const struct binding *b = scope_find(p, words_get(&p->lex.words, w->text, prefix));
    if (!b || b->kind != BIND_FAMILY) return false;
    const struct family *family = &parser_func(p)->families[b->index];
    if (family->n)
        fail_note(p->fail, "%s<%u> declares %s0 to %s%u", family->name, family->n, family->name,
                  family->name, family->n - 1);
    return true;
}

/* Returns true if the binding is of the wanted kind. The name of a family is never wanted. */
static bool is_wanted(const struct binding *b, const char *what)
{
    static const struct {
        const char *what;
        u8 kind;
    } kinds[] = {{"variable", BIND_SYMBOL},          {"function", BIND_FUNCTION},
                 {"register", BIND_REGISTER},        {"predicate", BIND_REGISTER},
                 {"call prototype", BIND_PROTOTYPE}, {".branchtargets list", BIND_TABLE}};
    for (u32 i = 0; i < COUNT_OF(kinds); i++) {
        if (!strcmp(kinds[i].what, what)) return b->kind == kinds[i].kind;
    }
    return b->kind != BIND_FAMILY && b->kind != BIND_LABEL;
}

void scope_unknown(struct parser *p, const struct token *t, const char *what)
{
    fail_at(p->fail, p->m->source, t->offset, "%s '%s' is not declared", what, t->word->text);
    if (p->func_id != NO_INDEX) parser_func(p)->lacks_name = true;
    if (p->fail->error_n > FAIL_MAX || beyond_family(p, t->word)) return;
    struct nearest near;
    nearest_init(&near, t->word->text);
    for (u32 i = 1; i < p->binding_n; i++) {
        if (is_wanted(&p->bindings[i], what)) nearest_offer(&near, p->bindings[i].word->text);
    }
    fail_nearest(p->fail, &near);
}
