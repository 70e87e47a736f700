#include "base/demangle.h"

#include <string.h>
#include "base/text.h"

enum { DEPTH_MAX = 64, PARTS_MAX = 256 };

struct declarator { /* a type or name: the text left and right of the declared entity */
    const char *left, *right; /* "void (*", ")(int)" */
    bool wraps;               /* a function or an array: a pointer to the type needs parentheses */
    bool pack;                /* a pack: several types in `left`, separated by commas */
};

struct demangler {
    const char *at;
    struct arena *arena;
    struct declarator subs[PARTS_MAX], args[PARTS_MAX]; /* S_, T_ */
    u32 sub_n, arg_n, depth;
    bool bad;
    struct cxx_name last;       /* parts of the last name read */
    bool is_template;           /* the last name ends in template arguments */
};

static struct declarator type(struct demangler *d);
static struct declarator name(struct demangler *d, bool outermost);

static const char *say(struct demangler *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static const char *say(struct demangler *d, const char *format, ...)
{
    struct text t = {0};
    va_list args;
    va_start(args, format);
    text_addv(&t, format, args);
    va_end(args);
    if (t.size > 1 << 14) d->bad = true; /* a name that grows by its own substitutions */
    const char *kept = d->bad ? "" : arena_text(d->arena, text_get(&t), t.size);
    text_free(&t);
    return kept;
}

static struct declarator plain(const char *text)
{
    return (struct declarator){.left = text, .right = ""};
}

static struct declarator wrong(struct demangler *d)
{
    d->bad = true;
    return plain("");
}

static bool eat(struct demangler *d, const char *word)
{
    size_t n = strlen(word);
    if (d->bad || strncmp(d->at, word, n)) return false;
    d->at += n;
    return true;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static u32 number(struct demangler *d)
{
    u32 n = 0;
    if (!is_digit(*d->at)) d->bad = true;
    while (is_digit(*d->at) && n < 100000) n = n * 10 + (u32)(*d->at++ - '0');
    return n;
}

static void keep(struct demangler *d, struct declarator p)
{
    if (d->sub_n == PARTS_MAX) d->bad = true;
    else d->subs[d->sub_n++] = p;
}

/* "4name" */
static const char *source_name(struct demangler *d)
{
    u32 n = number(d);
    if (d->bad || !n || strnlen(d->at, n) < n) {
        d->bad = true;
        return "";
    }
    const char *text = arena_text(d->arena, d->at, n);
    d->at += n;
    return strncmp(text, "_GLOBAL__N_", 11) ? text : "(anonymous namespace)";
}

/* Parses an index: "_" is 0, "0_" is 1; base 36 with `letters`. */
static u32 index_of(struct demangler *d, bool letters)
{
    u32 n = 0;
    if (eat(d, "_")) return 0;
    for (; is_digit(*d->at) || (letters && *d->at >= 'A' && *d->at <= 'Z'); d->at++) {
        u32 digit = (u32)(is_digit(*d->at) ? *d->at - '0' : *d->at - 'A' + 10);
        n = n * (letters ? 36 : 10) + digit;
        if (n > PARTS_MAX) d->bad = true;
        if (d->bad) return 0;
    }
    if (!eat(d, "_")) d->bad = true;
    return n + 1;
}

/* after S */
static struct declarator substitution(struct demangler *d)
{
    static const struct { const char *code, *text; } known[] = {
        {"a", "std::allocator"}, {"b", "std::basic_string"}, {"s", "std::string"},
        {"i", "std::istream"}, {"o", "std::ostream"}, {"d", "std::iostream"}};
    for (u32 i = 0; i < COUNT_OF(known); i++)
        if (eat(d, known[i].code)) return plain(known[i].text);
    u32 n = index_of(d, true);
    return n < d->sub_n && !d->bad ? d->subs[n] : wrong(d);
}

/* after T */
static struct declarator parameter(struct demangler *d)
{
    u32 n = index_of(d, false);
    return n < d->arg_n && !d->bad ? d->args[n] : wrong(d);
}

/* ---- template arguments ---- */

/* after L: Li16E, Lb1E, LN..E (an enumerator, given by its number), L_Z..E */
static struct declarator literal(struct demangler *d)
{
    if (eat(d, "_Z")) {
        struct declarator p = name(d, false);
        while (!d->bad && !eat(d, "E")) type(d);
        return p;
    }
    bool is_bool = *d->at == 'b';
    struct declarator t = type(d);
    bool negative = eat(d, "n");
    const char *digits = d->at;
    while (is_digit(*d->at)) d->at++;
    int n = (int)(d->at - digits);
    if (!n || n > 20 || !eat(d, "E")) return wrong(d);
    if (is_bool) return plain(*digits == '1' ? "true" : "false");
    (void)t;
    return plain(say(d, "%s%.*s", negative ? "-" : "", n, digits));
}

static struct declarator argument(struct demangler *d);

/* Parses arguments up to E and joins them with commas. */
static const char *arguments(struct demangler *d, struct declarator *each, u32 *n)
{
    const char *all = "";
    bool first = true;
    while (!d->bad && !eat(d, "E")) {
        struct declarator p = argument(d);
        if (each && *n < PARTS_MAX) each[(*n)++] = p;
        if (p.pack && !*p.left) continue;
        all = say(d, "%s%s%s%s", all, first ? "" : ", ", p.left, p.right);
        first = false;
    }
    return all;
}

static struct declarator argument(struct demangler *d)
{
    if (eat(d, "L")) return literal(d);
    if (eat(d, "J")) {
        struct declarator p = plain(arguments(d, NULL, NULL));
        p.pack = true;
        return p;
    }
    if (eat(d, "XadL_Z")) {
        struct declarator p = name(d, false);
        while (!d->bad && !eat(d, "E")) type(d);
        if (!eat(d, "E")) d->bad = true;
        return plain(say(d, "&%s", p.left));
    }
    if (eat(d, "XT")) { /* a number that is itself a parameter of the template */
        struct declarator p = parameter(d);
        return eat(d, "E") ? p : wrong(d);
    }
    return *d->at == 'X' ? wrong(d) : type(d);
}

/* after I; the arguments of the outermost name define T_ */
static const char *template_arguments(struct demangler *d, bool outermost)
{
    struct declarator each[PARTS_MAX];
    u32 n = 0;
    const char *all = arguments(d, each, &n);
    if (outermost && !d->bad) {
        memcpy(d->args, each, n * sizeof *each);
        d->arg_n = n;
    }
    return say(d, "<%s>", all);
}

/* ---- names ---- */

/* Ul types E number _, Ut number _ */
static const char *unnamed(struct demangler *d)
{
    bool lambda = eat(d, "Ul");
    const char *params = "";
    if (!lambda && !eat(d, "Ut")) return wrong(d).left;
    if (lambda && !eat(d, "vE")) {
        bool first = true;
        for (; !d->bad && !eat(d, "E"); first = false) {
            struct declarator p = type(d);
            params = say(d, "%s%s%s%s", params, first ? "" : ", ", p.left, p.right);
        }
    }
    u32 n = index_of(d, false) + 1;
    return lambda ? say(d, "{lambda(%s)#%u}", params, n) : say(d, "{unnamed type#%u}", n);
}

static const char *unqualified(struct demangler *d)
{
    eat(d, "L"); /* a name local to its file */
    if (!is_digit(*d->at)) return *d->at == 'U' ? unnamed(d) : wrong(d).left;
    const char *word = source_name(d);
    while (eat(d, "B")) source_name(d); /* ABI tags */
    return word;
}

/* after N, up to its E */
static struct declarator nested(struct demangler *d, bool outermost)
{
    struct cxx_name n = {"", "", "", ""};
    while (eat(d, "r") || eat(d, "V") || eat(d, "K")) {
    }
    while (!d->bad && !eat(d, "E")) {
        const char *so_far = say(d, "%s%s%s", n.scope, n.name, n.template);
        if (eat(d, "I")) {
            n.template = template_arguments(d, outermost);
        } else {
            const char *scope = *so_far ? say(d, "%s::", so_far) : "";
            bool known = *d->at == 'S' || *d->at == 'T';
            const char *word = eat(d, "St")  ? "std"
                               : eat(d, "S") ? substitution(d).left
                               : eat(d, "T") ? parameter(d).left
                                             : unqualified(d);
            n = (struct cxx_name){scope, word, "", ""};
            if (known) continue; /* already a substitution */
        }
        if (*d->at != 'E') keep(d, plain(say(d, "%s%s%s", n.scope, n.name, n.template)));
    }
    d->last = n;
    d->is_template = *n.template;
    return plain(say(d, "%s%s%s", n.scope, n.name, n.template));
}

/* after Z: an entity local to a function */
static struct declarator local(struct demangler *d)
{
    struct declarator outer = name(d, false);
    while (!d->bad && !eat(d, "E")) type(d);
    if (eat(d, "s")) return outer;
    struct declarator inner = name(d, false);
    d->last = (struct cxx_name){say(d, "%s::", outer.left), inner.left, "", ""};
    d->is_template = false;
    return plain(say(d, "%s::%s", outer.left, inner.left));
}

static struct declarator name(struct demangler *d, bool outermost)
{
    if (++d->depth > DEPTH_MAX) return wrong(d);
    struct declarator p;
    bool kept = false, simple = true; /* simple: template arguments may follow */
    if (eat(d, "N")) {
        p = nested(d, outermost);
        simple = false;
    } else if (eat(d, "Z")) {
        p = local(d);
        simple = false;
    } else {
        const char *scope = eat(d, "St") ? "std::" : "";
        kept = !*scope && eat(d, "S");
        const char *word = kept ? substitution(d).left : unqualified(d);
        d->last = (struct cxx_name){scope, word, "", ""};
        d->is_template = false;
        p = plain(say(d, "%s%s", scope, word));
    }
    if (simple && *d->at == 'I') {
        struct cxx_name base = d->last;
        if (!kept) keep(d, p);
        d->at++;
        base.template = template_arguments(d, outermost);
        d->last = base;
        d->is_template = true;
        p = plain(say(d, "%s%s", p.left, base.template));
    }
    d->depth--;
    return p;
}

/* ---- types ---- */

static const char *builtin(struct demangler *d)
{
    static const struct { const char *code, *text; } types[] = {
        {"v", "void"}, {"w", "wchar_t"}, {"b", "bool"}, {"c", "char"}, {"a", "signed char"},
        {"h", "unsigned char"}, {"s", "short"}, {"t", "unsigned short"}, {"i", "int"},
        {"j", "unsigned int"}, {"l", "long"}, {"m", "unsigned long"}, {"x", "long long"},
        {"y", "unsigned long long"}, {"n", "__int128"}, {"o", "unsigned __int128"}, {"f", "float"},
        {"d", "double"}, {"e", "long double"}, {"g", "__float128"}, {"z", "..."},
        {"Dn", "std::nullptr_t"}, {"Di", "char32_t"}, {"Ds", "char16_t"}, {"Du", "char8_t"},
        {"Da", "auto"}, {"Dh", "half"}, {"DF16_", "_Float16"}, {"DF16b", "__bf16"}};
    for (u32 i = 0; i < COUNT_OF(types); i++)
        if (eat(d, types[i].code)) return types[i].text;
    return NULL;
}

/* P, R, O: appends `mark` to the type pointed to */
static struct declarator pointer(struct demangler *d, const char *mark)
{
    struct declarator to = type(d);
    struct declarator p = to.wraps ? (struct declarator){.left = say(d, "%s(%s", to.left, mark),
                                             .right = say(d, ")%s", to.right)}
                             : (struct declarator){.left = say(d, "%s%s", to.left, mark),
                                             .right = to.right};
    keep(d, p);
    return p;
}

static struct declarator qualified(struct demangler *d)
{
    static const struct { const char *code, *text; } words[] = {
        {"r", "__restrict__"}, {"V", "volatile"}, {"K", "const"}};
    const char *all = "";
    for (u32 i = 0; i < COUNT_OF(words); i++)
        if (eat(d, words[i].code)) all = say(d, "%s%s%s", words[i].text, *all ? " " : "", all);
    struct declarator to = type(d);
    size_t n = strlen(to.left);
    bool points = n && strchr("*&", to.left[n - 1]);
    struct declarator p = to;
    p.left = points ? say(d, "%s %s", to.left, all) : say(d, "%s %s", all, to.left);
    keep(d, p);
    return p;
}

/* after F: result, parameters, E */
static struct declarator function(struct demangler *d)
{
    eat(d, "Y");
    struct declarator result = type(d);
    const char *params = eat(d, "v") ? "" : NULL;
    if (params && !eat(d, "E")) d->bad = true;
    if (!params) params = arguments(d, NULL, NULL);
    struct declarator p = {.left = say(d, "%s ", result.left),
                     .right = say(d, "(%s)%s", params, result.right), .wraps = true};
    keep(d, p);
    return p;
}

/* after A: number _ element */
static struct declarator array(struct demangler *d)
{
    const char *digits = d->at;
    while (is_digit(*d->at)) d->at++;
    int n = (int)(d->at - digits);
    if (n > 20 || !eat(d, "_")) return wrong(d);
    struct declarator of = type(d);
    struct declarator p = {.left = of.wraps ? of.left : say(d, "%s ", of.left),
                     .right = say(d, "[%.*s]%s", n, digits, of.right), .wraps = true};
    keep(d, p);
    return p;
}

static struct declarator known_type(struct demangler *d, bool is_parameter)
{
    struct declarator p = is_parameter ? parameter(d) : substitution(d);
    if (is_parameter) keep(d, p);
    if (*d->at != 'I') return p;
    d->at++;
    p = plain(say(d, "%s%s", p.left, template_arguments(d, false)));
    keep(d, p);
    return p;
}

static struct declarator type_of(struct demangler *d)
{
    const char *known = builtin(d);
    if (known) return plain(known);
    if (eat(d, "P")) return pointer(d, "*");
    if (eat(d, "R")) return pointer(d, "&");
    if (eat(d, "O")) return pointer(d, "&&");
    if (eat(d, "F")) return function(d);
    if (eat(d, "A")) return array(d);
    if (strchr("rVK", *d->at) && *d->at) return qualified(d);
    if (eat(d, "Dp")) {
        struct declarator p = type(d);
        keep(d, p);
        return p;
    }
    if (d->at[0] == 'S' && d->at[1] != 't') {
        d->at++;
        return known_type(d, false);
    }
    if (eat(d, "T")) return known_type(d, true);
    struct declarator p = name(d, false);
    keep(d, p);
    return p;
}

static struct declarator type(struct demangler *d)
{
    if (d->bad || ++d->depth > DEPTH_MAX) return wrong(d);
    struct declarator p = type_of(d);
    d->depth--;
    return p;
}

/* ---- whole names ---- */

/* Returns the last word of a name that has a length prefix, regardless of the other contents. */
static const char *last_word(const char *mangled, struct arena *arena)
{
    const char *word = "";
    for (const char *p = mangled + 2; *p; p++) {
        struct demangler d = {.at = p, .arena = arena};
        if (!is_digit(*p)) {
            if (*p == 'I' && *word) return word;
            if (strchr("NSt", *p)) continue;
            return word;
        }
        word = source_name(&d);
        if (d.bad) return "";
        p = d.at - 1;
    }
    return word;
}

bool demangle(const char *mangled, struct arena *arena, struct cxx_name *out)
{
    *out = (struct cxx_name){"", "", "", ""};
    if (strncmp(mangled, "_Z", 2)) return false;
    struct demangler *d = arena_new(arena, struct demangler);
    d->at = mangled + 2;
    d->arena = arena;
    name(d, true);
    struct cxx_name n = d->last;
    if (d->is_template) type(d); /* the result type */
    const char *params = *d->at == 'v' && !d->at[1] ? (d->at++, "") : "";
    for (bool first = true; !d->bad && *d->at && *d->at != '.';) {
        struct declarator p = type(d);
        if (p.pack && !*p.left) continue;
        params = say(d, "%s%s%s%s", params, first ? "" : ", ", p.left, p.right);
        first = false;
    }
    n.params = say(d, "(%s)", params);
    if (!d->bad) *out = n;
    else out->name = last_word(mangled, arena);
    return !d->bad;
}

void demangle_show(const char *mangled, struct text *out)
{
    struct arena arena;
    struct cxx_name n;
    arena_init(&arena);
    if (demangle(mangled, &arena, &n))
        text_add(out, "%s%s%s%s", n.scope, n.name, n.template, n.params);
    else text_add(out, "%s", mangled);
    arena_free(&arena);
}
