#include "run/import/draft.h"

#include <stdlib.h>
#include <string.h>

static const char *keep(struct draft *d, struct text *t)
{
    const char *kept = arena_text(&d->arena, text_get(t), t->size);
    text_free(t);
    return kept;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Returns the spelling of the file, where "gpgpu_" may be left out. */
static const char *spelling(const struct setting *set, const char *name)
{
    return set ? set->name : name;
}

static void origin_add(struct settings *s, const char *name, struct origin *o, struct text *t)
{
    const struct setting *set = settings_find(s, name);
    if (!o->at) *o = (struct origin){NULL, s, set};
    if (t->size) text_add(t, "; ");
    if (s->network)
        text_add(t, "%s: %s = %s", base_name(s->source->name), name, set ? set->value : "default");
    else if (set) text_add(t, "-%s %s", spelling(set, name), set->value);
    else text_add(t, "-%s by default", name);
}

struct origin origin_of(struct draft *d, struct settings *s, const char *names, const char *more)
{
    struct origin o = {NULL, s, NULL};
    struct text t = {0};
    while (*names) {
        size_t n = strcspn(names, " ");
        origin_add(s, arena_text(&d->arena, names, n), &o, &t);
        names += n + (names[n] == ' ');
    }
    text_add(&t, "%s", more);
    text_mask(&t);
    o.text = keep(d, &t);
    return o;
}

struct origin origin_rule(const char *text) { return (struct origin){text, NULL, NULL}; }

static void refuse(struct draft *d, const struct source *source, size_t at, const char *right,
                   const char *what)
{
    if (!d->setup->force) {
        fail_at(d->fail, source, at, "%s", what);
        fail_note(d->fail, "%s; --force imports the rest", right);
        return;
    }
    struct text t = {0};
    u32 line, column;
    source_position(source, at, &line, &column);
    text_add(&t, "%s; %s", what, right);
    warning_add(&d->warnings, source->name, line, t.bytes);
    text_free(&t);
}

void draft_refuse(struct draft *d, const struct part *at, const char *right, const char *format,
                  ...)
{
    struct text t = {0};
    va_list args;
    va_start(args, format);
    text_addv(&t, format, args);
    va_end(args);
    refuse(d, at->of.in->source, value_at(at->of, at->index), right, text_get(&t));
    text_free(&t);
}

/* Returns a number inside the range of the row. Others are refused; under --force the nearest
 * counts. */
static const char *in_range(struct draft *d, const struct conf_row *row, struct origin o,
                            const char *value)
{
    double number, near;
    bool numeric = row->type <= CONF_TYPE_RATIONAL;
    if (!numeric || !o.at || !real_parse(value, strlen(value), &number)) return value;
    if (number >= row->low && number <= row->high) return value;
    near = number < row->low ? row->low : row->high;
    struct text what = {0}, right = {0}, text = {0};
    text_add(&what, "%s.%s is %s here, which corun does not model", row->section, row->field,
             value);
    text_add(&right, "%.0f is the nearest value", near);
    refuse(d, o.in->source, o.at->value_at, right.bytes, what.bytes);
    text_add(&text, "%.0f", near);
    text_free(&what);
    text_free(&right);
    return keep(d, &text);
}

void draft_put(struct draft *d, const char *key, struct origin origin, const char *value)
{
    const struct conf_row *row = conf_find(machine_rows, machine_row_n, key);
    check(row);
    struct conf_place *place = &d->places[row - machine_rows];
    *place = (struct conf_place){origin.at ? origin.in->source : NULL,
                                 origin.at ? origin.at->value_at : 0, ++d->given};
    value = in_range(d, row, origin, value);
    if (!conf_set(&d->machine, row, value, d->fail, place->source, place->offset)) {
        if (!origin.at) fail_note(d->fail, "the value is %s", origin.text);
        return;
    }
    const struct draft_row made = {row, value, origin.text};
    for (u32 i = 0; i < d->row_n; i++) {
        if (d->rows[i].conf != row) continue;
        d->rows[i] = made;
        return;
    }
    *arena_push(&d->arena, d->rows, d->row_n, d->row_room) = made;
}

void draft_put_number(struct draft *d, const char *key, struct origin origin, u64 value)
{
    struct text t = {0};
    text_add(&t, "%lu", value);
    draft_put(d, key, origin, keep(d, &t));
}

struct part part_whole(struct settings *s, const char *name, const char *initial)
{
    struct part p = {settings_get(s, name, initial), NULL, 0};
    p.text = p.of.text;
    return p;
}

void draft_take(struct draft *d, const char *key, const char *name, const char *initial)
{
    struct part p = part_whole(&d->options, name, initial);
    if (!*p.text) return;
    u64 number = part_number(&p);
    draft_put_number(d, key, origin_of(d, &d->options, name, ""), number);
}

void draft_note(struct draft *d, const char *name, const char *why)
{
    const struct setting *set = settings_find(&d->options, name);
    if (!set) return;
    for (u32 i = 0; i < d->note_n; i++)
        if (d->notes[i].setting == set) return;
    *arena_push(&d->arena, d->notes, d->note_n, d->note_room) = (struct draft_note){set, why};
}

/* ---- caches ---- */

static bool cache_wrong(struct part *whole)
{
    part_fail(whole, "expected a cache, not '%s'", whole->text);
    fail_note(whole->of.in->fail, "KIND:SETS:LINE:WAYS,REPLACE:WRITE:ALLOCATE:WRITE MISS:INDEX,"
              "MSHR:ENTRIES:MERGES,QUEUE,PORT, for example N:32:128:4,L:L:m:N:H,A:32:8,8");
    return false;
}

static bool letter_known(const struct part *p, const char *letters, const char *what)
{
    if (strlen(p->text) == 1 && strchr(letters, *p->text)) return true;
    part_fail(p, "unknown %s '%s' of a cache", what, p->text);
    fail_note(p->of.in->fail, "known letters: %s", letters);
    return false;
}

static void policy_parts(const struct part *policy, u32 n, struct cache_text *c)
{
    c->replace = policy[0];
    c->write = policy[1];
    c->allocate = policy[2];
    c->write_miss = policy[3];
    c->index = n == 5 ? policy[4] : (struct part){policy[3].of, "L", policy[3].index};
}

bool cache_parse(struct draft *d, struct value v, struct cache_text *c)
{
    struct part field[PARTS_MAX], shape[PARTS_MAX], policy[PARTS_MAX], mshr[PARTS_MAX];
    struct part queue[PARTS_MAX], whole = {v, v.text, 0};
    if (!*v.text) return false;
    u32 before = d->fail->error_n, n = value_split(v, ',', field, &d->arena);
    if (n < 4) return cache_wrong(&whole);
    u32 shape_n = part_split(&field[0], ':', shape, &d->arena);
    u32 policy_n = part_split(&field[1], ':', policy, &d->arena);
    u32 mshr_n = part_split(&field[2], ':', mshr, &d->arena);
    if (shape_n < 3 || shape_n > 4 || policy_n < 4 || policy_n > 5 || mshr_n != 3 ||
        !part_split(&field[3], ':', queue, &d->arena)) return cache_wrong(&whole);
    const struct part *size = shape + (shape_n == 4); /* versions before 4 write no kind */
    c->sets = part_number(&size[0]);
    c->line = part_number(&size[1]);
    c->ways = part_number(&size[2]);
    c->line_at = size[1];
    c->merges_at = mshr[2];
    if (d->fail->error_n == before && !(c->sets && c->line && c->ways)) return cache_wrong(&whole);
    c->entries = part_number(&mshr[1]);
    c->merges = part_number(&mshr[2]);
    c->queue = part_number(&queue[0]);
    c->port = n > 4 ? part_number(&field[4]) : c->line;
    c->sector = shape_n == 4 && !strcmp(shape[0].text, "S") ? 32 : c->line;
    policy_parts(policy, policy_n, c);
    bool known = letter_known(&c->allocate, "mfs", "allocation");
    known &= letter_known(&c->write, "RBTEL", "write policy");
    known &= letter_known(&c->write_miss, "NWFL", "policy of write misses");
    return known && d->fail->error_n == before;
}

const char *cache_index(const struct cache_text *c)
{
    switch (*c->index.text) {
    case 'X': return "xor";
    case 'P': return "ipoly";
    case 'H': return "fermi-l1";
    default: return "linear";
    }
}
