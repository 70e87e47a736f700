#include "run/import/settings.h"

#include <ctype.h>
#include <string.h>

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f'; }
static bool is_space(char c) { return is_blank(c) || c == '\n'; }

/* Rejects files with control characters, hence binary files. */
static bool is_text(const struct source *s, struct fail *fail)
{
    for (size_t i = 0; i < s->size; i++) {
        unsigned char c = (unsigned char)s->text[i];
        if ((c >= ' ' && c != 127) || is_space((char)c)) continue;
        fail_plain(fail, "%s is not a text file: byte 0x%02x at offset %zu", s->name, c, i);
        fail_note(fail, "corun import reads gpgpusim.config and its interconnect file");
        return false;
    }
    return true;
}

static void settings_put(struct settings *s, struct setting added)
{
    for (u32 i = 0; i < s->n; i++) {
        if (strcmp(s->at[i].name, added.name)) continue;
        s->at[i] = added;
        return;
    }
    *arena_push(s->arena, s->at, s->n, s->room) = added;
}

static size_t line_end(const struct source *s, size_t at)
{
    while (at < s->size && s->text[at] != '\n') at++;
    return at;
}

/* Skips blanks, ends of lines and comments. */
static size_t skip_space(const struct source *s, size_t at)
{
    while (at < s->size && (is_space(s->text[at]) || s->text[at] == '#'))
        at = s->text[at] == '#' ? line_end(s, at) : at + 1;
    return at;
}

static bool is_option(const struct source *s, size_t at)
{
    return at + 1 < s->size && s->text[at] == '-' && isalpha((unsigned char)s->text[at + 1]);
}

/* Reads a value in quotes from the quote on; moves *at behind the closing quote. */
static bool read_quoted(struct settings *s, size_t *at, struct text *out)
{
    const struct source *f = s->source;
    size_t open = (*at)++;
    for (; *at < f->size && f->text[*at] != '"'; ++*at) {
        if (f->text[*at] == '#') *at = line_end(f, *at) - 1;
        else if (!is_space(f->text[*at])) text_put(out, f->text + *at, 1);
    }
    if (*at == f->size) {
        fail_at(s->fail, f, open, "the quotes are not closed");
        return false;
    }
    ++*at;
    return true;
}

static bool read_value(struct settings *s, struct setting *set, size_t *at)
{
    const struct source *f = s->source;
    struct text value = {0};
    bool ok = true;
    while (*at < f->size && is_blank(f->text[*at])) ++*at;
    set->value_at = *at;
    if (*at < f->size && f->text[*at] == '"') {
        ok = read_quoted(s, at, &value);
    } else {
        size_t end = *at;
        while (end < f->size && !is_space(f->text[end]) && f->text[end] != '#') end++;
        text_put(&value, f->text + *at, end - *at);
        if (is_option(f, *at)) value.size = 0;
        *at = end;
    }
    if (ok && !value.size) {
        fail_at(s->fail, f, set->name_at, "option -%s has no value", set->name);
        fail_note(s->fail, "write the value behind the name, on the same line: -%s VALUE",
                  set->name);
        ok = false;
    }
    set->value = arena_text(s->arena, text_get(&value), value.size);
    text_free(&value);
    return ok;
}

bool settings_read(struct settings *s, const struct source *source, struct arena *arena,
                   struct fail *fail)
{
    *s = (struct settings){.source = source, .arena = arena, .fail = fail};
    if (!is_text(source, fail)) return false;
    for (size_t at = skip_space(source, 0); at < source->size; at = skip_space(source, at)) {
        if (!is_option(source, at)) {
            fail_at(fail, source, at, "expected an option");
            fail_note(fail, "a configuration of GPGPU-Sim has options -NAME VALUE, for example "
                      "-gpgpu_n_clusters 30; # begins a comment");
            return false;
        }
        struct setting set = {.name_at = at};
        size_t end = at;
        while (end < source->size && !is_space(source->text[end])) end++;
        set.name = arena_text(arena, source->text + at + 1, end - at - 1);
        at = end;
        if (!read_value(s, &set, &at)) return false;
        settings_put(s, set);
    }
    if (!s->n) fail_plain(fail, "%s has no options of GPGPU-Sim", source->name);
    return s->n;
}

/* Skips blanks, ends of lines and comments of a crossbar's file. */
static size_t skip_network(const struct source *s, size_t at)
{
    while (at < s->size && (is_space(s->text[at]) ||
                            (s->text[at] == '/' && at + 1 < s->size && s->text[at + 1] == '/')))
        at = s->text[at] == '/' ? line_end(s, at) : at + 1;
    return at;
}

bool settings_read_network(struct settings *s, const struct source *f, struct arena *arena,
                           struct fail *fail)
{
    *s = (struct settings){.source = f, .network = true, .arena = arena, .fail = fail};
    if (!is_text(f, fail)) return false;
    for (size_t at = skip_network(f, 0); at < f->size; at = skip_network(f, at)) {
        struct setting set = {.name_at = at};
        size_t name = at;
        while (at < f->size && (isalnum((unsigned char)f->text[at]) || f->text[at] == '_')) at++;
        set.name = arena_text(arena, f->text + name, at - name);
        while (at < f->size && is_blank(f->text[at])) at++;
        if (!*set.name || at == f->size || f->text[at] != '=') {
            fail_at(fail, f, at, "expected NAME = VALUE;");
            fail_note(fail, "an interconnect file has settings, for example num_vcs = 1; // begins "
                      "a comment");
            return false;
        }
        at = skip_network(f, at + 1);
        set.value_at = at;
        while (at < f->size && f->text[at] != ';' && f->text[at] != '\n') at++;
        size_t end = at;
        while (end > set.value_at && is_blank(f->text[end - 1])) end--;
        if (at == f->size || f->text[at] != ';' || end == set.value_at) {
            fail_at(fail, f, end, end == set.value_at ? "'%s' has no value"
                                                      : "expected ; behind the value of '%s'",
                    set.name);
            return false;
        }
        set.value = arena_text(arena, f->text + set.value_at, end - set.value_at);
        settings_put(s, set);
        at++;
    }
    return true;
}

#define ALIAS(name, older) {name, older},
static const char *const aliases[][2] = {
#include "run/import/alias.def"
};
#undef ALIAS

bool settings_same(const char *name, const char *word)
{
    if (!strcmp(name, word)) return true;
    if (!strncmp(name, "gpgpu_", 6) && !strcmp(name + 6, word)) return true;
    for (u32 i = 0; i < COUNT_OF(aliases); i++)
        if (!strcmp(aliases[i][0], name) && !strcmp(aliases[i][1], word)) return true;
    return false;
}

const struct setting *settings_find(struct settings *s, const char *name)
{
    struct setting *found = NULL;
    for (u32 i = 0; i < s->n && !(found && !strcmp(found->name, name)); i++)
        if (settings_same(name, s->at[i].name)) found = &s->at[i];
    if (found) found->asked = true;
    return found;
}

struct value settings_get(struct settings *s, const char *name, const char *initial)
{
    const struct setting *set = settings_find(s, name);
    if (set) return (struct value){s, set, set->value};
    if (initial) return (struct value){s, NULL, initial};
    fail_plain(s->fail, "%s has no option -%s", s->source->name, name);
    fail_note(s->fail, "a configuration of GPGPU-Sim gives the option: -%s VALUE", name);
    return (struct value){s, NULL, ""};
}

size_t value_at(struct value v, size_t index)
{
    const struct source *f = v.in->source;
    if (!v.setting) return f->size;
    size_t at = v.setting->value_at;
    if (at >= f->size || f->text[at] != '"') return at + index;
    for (at++; at < f->size && f->text[at] != '"'; at++) {
        if (f->text[at] == '#') at = line_end(f, at) - 1;
        else if (!is_space(f->text[at]) && !index--) return at;
    }
    return v.setting->value_at;
}

static u32 split(struct value v, const char *text, size_t index, char separator,
                 struct part *parts, struct arena *arena)
{
    u32 n = 0;
    for (const char *at = text; *text; n++) {
        size_t size = strcspn(at, (const char[]){separator, 0});
        if (n < PARTS_MAX)
            parts[n] = (struct part){v, arena_text(arena, at, size), index + (size_t)(at - text)};
        if (!at[size]) return min_u32(n + 1, PARTS_MAX);
        at += size + 1;
    }
    return 0;
}

u32 value_split(struct value v, char separator, struct part *parts, struct arena *arena)
{
    return split(v, v.text, 0, separator, parts, arena);
}

u32 part_split(const struct part *p, char separator, struct part *parts, struct arena *arena)
{
    return split(p->of, p->text, p->index, separator, parts, arena);
}

void part_fail(const struct part *p, const char *format, ...)
{
    struct text t = {0};
    va_list args;
    va_start(args, format);
    text_addv(&t, format, args);
    va_end(args);
    fail_at(p->of.in->fail, p->of.in->source, value_at(p->of, p->index), "%s", text_get(&t));
    text_free(&t);
}

u64 part_number(const struct part *p)
{
    u64 value = 0;
    size_t n = strspn(p->text, "0123456789");
    size_t zeros = p->text[n] == '.' ? 1 + strspn(p->text + n + 1, "0") : 0;
    for (size_t i = 0; i < n && value <= SETTING_NUMBER_MAX; i++)
        value = value * 10 + (u64)(p->text[i] - '0');
    if (n && !p->text[n + zeros] && value <= SETTING_NUMBER_MAX) return value;
    part_fail(p, "expected a whole number up to %d, not '%s'", SETTING_NUMBER_MAX, p->text);
    return 0;
}

u64 settings_number(struct settings *s, const char *name, const char *initial)
{
    struct part p = {settings_get(s, name, initial), NULL, 0};
    p.text = p.of.text;
    return *p.text ? part_number(&p) : 0;
}
