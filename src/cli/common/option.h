/* Options of the command line. Rows of option.def define struct options, the parser, range checks
 * and --help. main parses the options, the commands read them. */
#ifndef CORUN_OPTION_H
#define CORUN_OPTION_H

#include "base/fail.h"
#include "cli/cc/nvcc.h"
#include "run/catalog/catalog.h"

enum { OPERANDS_MAX = 4096, MANY_MAX = 256 };

struct many {
    const char *at[MANY_MAX];
    u32 n;
};

#define TEXT(commands, field, flag, argument, initial, sentence) const char *field;
#define OUTPUT(commands, field, flag, argument, sentence) const char *field;
#define MANY(commands, field, flag, argument, sentence) struct many field;
#define WORD(commands, field, flag, words, initial, sentence) u32 field;
#define NUMBER(commands, field, flag, initial, low, high, sentence) u64 field;
#define FLAG(commands, field, flag, sentence) bool field;
struct options {
#include "cli/option.def"
    const char *operands[OPERANDS_MAX];
    u32 operand_n;
    char *const *arguments; /* all, behind the command's name */
    u32 argument_n;
    struct nvcc nvcc;    /* cc */
    bool help;
    bool first_in_place; /* cuda: the program's first execution runs in the user's folder */
};
#undef TEXT
#undef OUTPUT
#undef MANY
#undef WORD
#undef NUMBER
#undef FLAG

enum progress { PROGRESS_AUTO, PROGRESS_TTY, PROGRESS_JSON, PROGRESS_NONE };
enum switched { SWITCH_ON, SWITCH_OFF };

/* Option rows for other readers (guide/). */
enum kind { KIND_TEXT, KIND_OUTPUT, KIND_MANY, KIND_WORD, KIND_NUMBER, KIND_FLAG };
struct option_word {
    const char *word, *sentence;
};
struct option {
    const char *commands, *flag, *argument, *initial, *sentence;
    enum kind kind;
    size_t offset;                   /* of the field in struct options */
    const struct option_word *words; /* the last entry has no word */
    double low, high;
    const char *also;                /* more spellings, separated by blanks; NULL: none */
};
/* Returns the command's next option from row *at on and moves *at behind the option; NULL: no
 * more. */
const struct option *option_of(char command, u32 *at);
/* Appends the spellings, separated by commas. */
void option_spellings(const struct option *row, struct text *out);
/* Appends the placeholder of the option's argument. */
void option_argument(const struct option *row, struct text *out);

/* Parses the arguments after the command's name; `command` is the command's letter. Returns false
 * with errors in `fail`. */
bool options_parse(struct options *o, char command, char *const *arguments, u32 n,
                   struct fail *fail);
/* Appends the command line, quoted as for a shell. */
void options_command(const struct options *o, const char *command, struct text *out);
void options_help(char command, struct text *out);
/* Adds the rows of `list options`. */
void options_list(struct catalog *c);

#endif
