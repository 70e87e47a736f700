/* Parses .file and .loc, the origin of the PTX, for `parse` (the module) and `parse_body`. Both
 * follow their grammar exactly, because no semicolon ends them and an instruction may follow on the
 * same line. The module keeps the names of files, a function keeps the positions; func_origin
 * finds the position of a statement. Source: PTX ISA manual, section 11.5 (debugging). */
#include "ptx/parse/parser.h"

#include <stdio.h>
#include <string.h>

static void file_add(struct parser *p, u64 number, const struct token *name)
{
    const char *text = p->m->source->text + name->offset;
    *arena_push(p->arena, p->m->files, p->m->file_n, p->file_room) = (struct file){
        .source = p->m->source,
        .number = (u32)number,
        .name = name->size > 2 ? arena_text(p->arena, text + 1, name->size - 2) : ""};
}

/* index "name"[, timestamp, size] */
static bool parse_file(struct parser *p)
{
    u64 number, value;
    if (!parser_int(p, &number, "a file's index")) return false;
    if (p->lex.now.kind != TOKEN_STRING) {
        parser_error(p, &p->lex.now, "a file's name as a string");
        return false;
    }
    file_add(p, number, &p->lex.now);
    lexer_next(&p->lex);
    if (!parser_accept(p, ',')) return true;
    if (!parser_int(p, &value, "a file's timestamp")) return false;
    return !parser_accept(p, ',') || parser_int(p, &value, "a file's size");
}

static bool parse_position(struct parser *p, u32 *file, u32 *line)
{
    u64 number, row, column;
    bool ok = parser_int(p, &number, "a file's index") &&
              parser_int(p, &row, "a line's number") &&
              parser_int(p, &column, "a column's number");
    if (!ok) return false;
    *file = (u32)number;
    *line = (u32)row;
    return true;
}

static bool parse_key(struct parser *p, const char *name)
{
    const struct token *t = &p->lex.now;
    if (t->kind == TOKEN_WORD && !strcmp(t->word->text, name)) {
        lexer_next(&p->lex);
        return true;
    }
    char quoted[24];
    snprintf(quoted, sizeof quoted, "'%s'", name);
    parser_error(p, t, quoted);
    return false;
}

/* Parses the optional rest of .loc: the position of the call of an inlined function. */
static bool parse_inlined(struct parser *p, struct loc *l)
{
    u64 value;
    if (!parser_accept(p, ',')) return true;
    if (!parse_key(p, "function_name")) return false;
    if (p->lex.now.kind != TOKEN_WORD) {
        parser_error(p, &p->lex.now, "the label of a function's name");
        return false;
    }
    lexer_next(&p->lex);
    if (parser_accept(p, '+') && !parser_int(p, &value, "an offset")) return false;
    return parser_expect(p, ',', "and 'inlined_at'") && parse_key(p, "inlined_at") &&
           parse_position(p, &l->call_file, &l->call_line);
}

/* file line column[, function_name label[+offset], inlined_at file line column]; the label may be
 * in a later section */
static bool parse_loc(struct parser *p)
{
    struct loc l = {.offset = p->lex.now.offset};
    if (!parse_position(p, &l.file, &l.line) || !parse_inlined(p, &l)) return false;
    struct func *f = p->func_id == NO_INDEX ? NULL : parser_func(p);
    if (f) *arena_push(p->arena, f->locs, f->loc_n, p->loc_room) = l;
    return true;
}

bool parse_origin(struct parser *p, bool *ok)
{
    if (parser_accept_dot(p, "file")) *ok = parse_file(p);
    else if (parser_accept_dot(p, "loc")) *ok = parse_loc(p);
    else return false;
    return true;
}

static const char *file_name(const struct module *m, const struct source *source, u32 number)
{
    for (u32 i = 0; i < m->file_n; i++)
        if (m->files[i].source == source && m->files[i].number == number) return m->files[i].name;
    return NULL;
}

struct origin func_origin(const struct module *m, const struct func *f, u32 offset)
{
    u32 low = 0, high = f->loc_n; /* locs below `low` are before the offset */
    while (low < high) {
        u32 middle = low + (high - low) / 2;
        if (f->locs[middle].offset < offset) low = middle + 1;
        else high = middle;
    }
    if (!low || !f->locs[low - 1].line) return (struct origin){0};
    const struct loc *l = &f->locs[low - 1];
    struct origin o = {.file = file_name(m, f->source, l->file), .line = l->line};
    if (l->call_line) {
        o.call_file = file_name(m, f->source, l->call_file);
        o.call_line = l->call_line;
    }
    return o.file ? o : (struct origin){0};
}
