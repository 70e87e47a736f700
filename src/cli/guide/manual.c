/* Manual pages in roff: corun(1) and a page per command. */
#include "cli/guide/guide.h"

#include <ctype.h>
#include <string.h>

struct term { /* a term and its meaning */
    const char *term, *words;
};
static const struct term statuses[] = {
    {"0", "Done."},
    {"1", "The simulated run ended abnormally: a fault, a deadlock, a limit."},
    {"2", "The input is wrong, or a result could not be written; the message says where, why and "
     "what would be right."},
    {"3", "An internal check of corun failed."},
    {"130, 143", "Interrupted: 130 by Ctrl-C, 143 by SIGTERM."},
    {0}};
static const struct term variables[] = {
    {"CORUN_CACHE", "Cache folder of isolated runs. Default: $XDG_CACHE_HOME/corun, or "
                    "~/.cache/corun. The folder may be deleted at any time."},
    {"CC", "C compiler for your own policies. Default: cc."},
    {"CORUN_CLANG", "clang used by corun cc. Default: clang, or clang-16 or later if clang is too "
     "old."},
    {"COLUMNS", "Width of tables on a terminal. Default: the terminal's width, or 100 if unknown. "
                "Tables in files and pipes have 100 columns, lists a line per row."},
    {"TMPDIR", "Folder for compiling policies. Default: /tmp."},
    {0}};
static const struct term examples[] = {
    {"corun run mm bfs --policy spatial", "Two programs on one GPU, each on half of the SMs."},
    {"corun compare mm bfs --policies leftover,sequential,spatial",
     "The same programs under three policies, side by side."},
    {"corun run ./saxpy.yaml --json result.json",
     "Your own PTX kernel, without host code; the result as JSON."},
    {"corun sweep FILE.yaml -o results.db",
     "Many runs; an interrupted sweep is continued by the same command."},
    {0}};

/* Appends text on one line, with all characters special to roff escaped. */
static void put(struct text *out, const char *words)
{
    static const char marks[] = "\\-'`^~|"; /* a line may break after a bar */
    static const char *const names[] = {"\\e",    "\\-",    "\\(aq", "\\(ga",
                                        "\\(ha", "\\(ti", "|\\:"};
    if (words[0] == '.') text_add(out, "\\&");
    for (; *words; words++) {
        const char *mark = strchr(marks, *words);
        if (mark) text_add(out, "%s", names[mark - marks]);
        else text_put(out, words, 1);
    }
}

/* Appends a line of text between roff commands `before` and `after`. */
static void line(struct text *out, const char *before, const char *words, const char *after)
{
    text_add(out, "%s", before);
    put(out, words);
    text_add(out, "%s\n", after);
}

static void show_said(struct text *out, const char *heading, const struct term *said)
{
    text_add(out, ".SH %s\n", heading);
    for (; said->term; said++) {
        line(out, ".TP\n\\fB", said->term, "\\fR");
        line(out, "", said->words, "");
    }
}

static void show_head(struct text *out, const char *name, const char *sentence)
{
    text_add(out, ".\\\" Made by corun --manual.\n.TH ");
    for (const char *c = name; *c; c++) text_add(out, "%c", toupper((unsigned char)*c));
    text_add(out, " 1 \"\" \"corun %s\" \"User Commands\"\n.nh\n.ad l\n", CORUN_VERSION);
    line(out, ".SH NAME\n", name, "");
    text_add(out, "\\- ");
    line(out, "", sentence, "");
    text_add(out, ".SH SYNOPSIS\n");
}

static void show_option(struct text *out, const struct option *row)
{
    struct text argument = {0};
    option_argument(row, &argument);
    line(out, ".TP\n\\fB", row->flag, "\\fR");
    if (argument.size) {
        out->size--; /* the argument is on the flag's line */
        line(out, " \\fI", argument.bytes, "\\fR");
    }
    line(out, "", row->sentence, "");
    if (row->initial) line(out, "Default ", row->initial, ".");
    if (row->also && row->also[0]) line(out, "Also ", row->also, ".");
    for (const struct option_word *w = row->words; w && w->word; w++) {
        if (!w->sentence[0]) continue;
        line(out, ".br\n\\fB", w->word, "\\fR:");
        line(out, "", w->sentence, ".");
    }
    text_free(&argument);
}

static void show_command(struct text *out, const struct command_row *command)
{
    struct text name = {0};
    text_add(&name, "corun-%s", command->name);
    show_head(out, name.bytes, command->sentence);
    text_add(out, "\\fBcorun %s\\fR", command->name);
    line(out, " \\fI", command->operands, "\\fR");
    text_add(out, "[\\fIoption\\fR ...]\n.SH OPTIONS\n");
    const struct option *row;
    for (u32 at = 0; (row = option_of(command->letter, &at));) show_option(out, row);
    text_add(out, ".TP\n\\fB\\-\\-help\\fR\nThese options.\n"
             ".SH SEE ALSO\n.BR corun (1)\nfor the other commands, exit statuses and variables.\n");
    text_free(&name);
}

static void show_whole(struct text *out)
{
    show_head(out, "corun", "several GPU programs sharing one simulated GPU");
    text_add(out,
        "\\fBcorun\\fR \\fIcommand\\fR [\\fIargument\\fR ...]\n"
        ".br\n"
        "\\fBcorun \\-\\-help\\fR | \\fB\\-\\-version\\fR\n"
        ".br\n"
        "\\fBcorun\\fR \\fIcommand\\fR \\fB\\-\\-help\\fR\n"
        ".SH DESCRIPTION\n"
        "corun simulates several GPU programs that share one GPU, cycle by cycle, and shows\n"
        "how much each slows down, and why.\n"
        "corun runs CUDA kernels as PTX, checks their outputs against a CPU reference, and "
        "produces\n"
        "bit-identical results on every host.\n"
        ".PP\n"
        "An \\fIAPP\\fR is a shipped workload, NAME or NAME:key=value,... (\\fBcorun list\n"
        "workloads\\fR), or an app file, ./FILE.yaml.\n"
        "Results go to standard output, messages to standard error.\n"
        ".SH COMMANDS\n");
    for (const struct command_row *c = command_rows; c->name; c++) {
        text_add(out, ".TP\n.BR corun\\-%s (1)\n", c->name);
        line(out, "", c->sentence, "");
    }
    show_said(out, "EXIT STATUS", statuses);
    show_said(out, "ENVIRONMENT", variables);
    show_said(out, "EXAMPLES", examples);
    text_add(out, ".SH SEE ALSO\n");
    for (const struct command_row *c = command_rows; c->name; c++)
        text_add(out, ".BR corun\\-%s (1)%s\n", c->name, c[1].name ? "," : "");
}

bool guide_manual(const char *command, struct text *out)
{
    const struct command_row *row = command_rows;
    if (!command || !command[0]) {
        show_whole(out);
        return true;
    }
    while (row->name && strcmp(row->name, command)) row++;
    if (row->name) show_command(out, row);
    return row->name;
}
