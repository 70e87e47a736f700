#include "run/import/draft.h"

#include <string.h>
#include "run/input/file_set.h"

#define EXPECT(name, value, why) {name, value, why},
#define NOTE(name, why) {name, NULL, why},
#define SILENT(name) {name, NULL, NULL},
static const struct {
    const char *name, *value, *why;
} fixed[] = {
#include "run/import/option.def"
};
#undef EXPECT
#undef NOTE
#undef SILENT

bool import_need_parse(struct import_need *need, const char *text, struct fail *fail)
{
    const struct source source = {COMMAND_LINE, text, strlen(text)};
    u64 *const fields[] = {&need->threads, &need->registers, &need->shared, &need->blocks};
    const char *at = text;
    u32 n = 0;
    *need = (struct import_need){0};
    while (n < COUNT_OF(fields)) {
        char digits[8];
        size_t size = strspn(at, "0123456789");
        if (!size || size >= sizeof digits) break;
        memcpy(digits, at, size);
        digits[size] = 0;
        whole_parse(digits, fields[n++]);
        at += size;
        if (*at != ':') break;
        at++;
    }
    if (n >= 3 && !*at && at[-1] != ':' && need->threads) return true;
    fail_at(fail, &source, (size_t)(at - text), "expected THREADS:REGISTERS:SHARED[:BLOCKS]");
    fail_note(fail, "threads of a block, registers of a thread, bytes of shared memory of a block, "
              "blocks of the grid, for example 256:32:8192");
    return false;
}

/* Reads the crossbar's own file, if the configuration has one. */
static bool read_network(struct draft *d, struct file_set *files)
{
    struct part mode = part_whole(&d->options, "network_mode", "1");
    const struct setting *named = settings_find(&d->options, "inter_config_file");
    u64 kind = part_number(&mode);
    const struct source *source;
    if (kind == 2) return true;
    if (kind != 1) {
        part_fail(&mode, "no network of mode '%s'", mode.text);
        fail_note(d->fail, "1 (a file of its own) or 2 (built in) is right");
        return false;
    }
    if (d->setup->icnt) {
        source = file_set_open(files, d->setup->icnt, d->fail);
    } else if (named) {
        source = files->loader.load(&files->loader, named->value, d->options.source,
                                    named->value_at, d->fail);
        if (!source) fail_note(d->fail, "--icnt FILE names another interconnect file");
    } else {
        fail_plain(d->fail, "%s names no interconnect file", d->options.source->name);
        fail_note(d->fail, "give --icnt FILE, or -inter_config_file FILE in the configuration");
        return false;
    }
    return source && settings_read_network(&d->network, source, &d->arena, d->fail);
}

static void fixed_options(struct draft *d)
{
    for (u32 i = 0; i < COUNT_OF(fixed); i++) {
        const struct setting *set = settings_find(&d->options, fixed[i].name);
        if (set && fixed[i].why && (!fixed[i].value || strcmp(set->value, fixed[i].value)))
            draft_note(d, fixed[i].name, fixed[i].why);
    }
}

static void quoted(const char *text, struct text *out)
{
    text_put(out, "\"", 1);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') text_put(out, "\\", 1);
        text_put(out, text, 1);
    }
    text_put(out, "\"", 1);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Appends the machine file: sections in order of their first row. */
static void show_file(const struct draft *d, struct text *out)
{
    const char *from = base_name(d->options.source->name);
    text_add(out, "# Made from %s by corun import.\nmachine: ", from);
    quoted(d->setup->name, out);
    text_add(out, "\n");
    for (u32 i = 0; i < d->row_n; i++) {
        const char *section = d->rows[i].conf->section;
        bool first = true;
        for (u32 j = 0; j < i; j++) first &= strcmp(d->rows[j].conf->section, section) != 0;
        if (!first) continue;
        text_add(out, "\n%s:\n", section);
        for (u32 j = i; j < d->row_n; j++) {
            const struct draft_row *r = &d->rows[j];
            if (strcmp(r->conf->section, section)) continue;
            text_add(out, "  %s: {value: %s, source: ", r->conf->field, r->value);
            quoted(r->origin, out);
            text_add(out, "}\n");
        }
    }
    text_mask(out);
}

static bool is_noted(const struct draft *d, const struct setting *set)
{
    for (u32 i = 0; i < d->note_n; i++)
        if (d->notes[i].setting == set) return true;
    return false;
}

static bool is_silent(const struct setting *set)
{
    for (u32 i = 0; i < COUNT_OF(fixed); i++) {
        if (!fixed[i].why && settings_same(fixed[i].name, set->name)) return true;
    }
    return false;
}

/* Appends the names of a group, in lines of at most 100 columns. */
static void show_names(const struct draft *d, bool silent, const char *what, struct text *out)
{
    enum { COLUMNS = 100 };
    u32 n = 0;
    size_t column = 0;
    for (u32 pass = 0; pass < 2; pass++) {
        if (pass && n) text_add(out, "%u option%s %s:", n, n == 1 ? "" : "s", what);
        column = COLUMNS;
        for (u32 i = 0; i < d->options.n; i++) {
            const struct setting *set = &d->options.at[i];
            bool chosen = silent ? is_silent(set) : !set->asked;
            if (!chosen || is_noted(d, set)) continue;
            n += !pass;
            if (!pass) continue;
            size_t size = strlen(set->name) + 2;
            if (column + size > COLUMNS) {
                text_add(out, "\n ");
                column = 1;
            }
            text_add(out, " -%s", set->name);
            column += size;
        }
        if (pass && n) text_add(out, "\n");
    }
}

static void show_told(const struct draft *d, struct text *out)
{
    u32 noted = d->note_n;
    warnings_show(&d->warnings, out);
    text_add(out, "%s: %u values from %u options%s%s\n", d->setup->name, d->row_n, d->options.n,
             d->network.source ? " and " : "",
             d->network.source ? base_name(d->network.source->name) : "");
    if (noted) text_add(out, "%u option%s modelled otherwise:\n", noted, noted == 1 ? "" : "s");
    for (u32 i = 0; i < d->options.n; i++)
        for (u32 j = 0; j < noted; j++)
            if (d->notes[j].setting == &d->options.at[i])
                text_add(out, "  -%s %s: %s\n", d->options.at[i].name, d->options.at[i].value,
                         d->notes[j].why);
    show_names(d, true, "without effect on the cycles of a kernel here", out);
    show_names(d, false, "without counterpart", out);
    text_mask(out);
}

static void apply_rules(struct draft *d)
{
    draft_sm(d);
    draft_memory(d);
    draft_network(d);
    draft_l2(d);
    draft_dram(d);
    fixed_options(d);
}

bool import_make(const struct import_setup *setup, struct text *file, struct text *told,
                 struct fail *fail)
{
    struct draft d = {.setup = setup, .fail = fail};
    struct file_set files;
    u32 before = fail->error_n;
    arena_init(&d.arena);
    file_set_init(&files);
    conf_defaults(&d.machine, machine_rows, machine_row_n);
    d.places = arena_array(&d.arena, struct conf_place, machine_row_n);
    const struct source *config = file_set_open(&files, setup->config, fail);
    if (config && settings_read(&d.options, config, &d.arena, fail) && read_network(&d, &files)) {
        apply_rules(&d);
        if (fail->error_n == before) machine_check(&d.machine, d.places, fail);
    }
    bool ok = fail->error_n == before;
    if (ok) {
        show_file(&d, file);
        show_told(&d, told);
    }
    warnings_free(&d.warnings);
    file_set_free(&files);
    arena_free(&d.arena);
    return ok;
}
