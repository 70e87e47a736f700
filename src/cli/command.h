/* What main gives to a command and what a command gives back: an exit status, with texts for
 * standard output and messages. Exit: 0 done; 1 the simulated run ended abnormally; 2 the input is
 * wrong or a result could not be written; 130, 143 interrupted by SIGINT, SIGTERM. */
#ifndef CORUN_COMMAND_H
#define CORUN_COMMAND_H

#include "cli/option.h"

enum { EXIT_DONE, EXIT_ABNORMAL, EXIT_INPUT, EXIT_SIGNAL = 128 /* plus its number */ };

struct batch_failed;
struct console {
    struct text out;    /* to standard output, when the command has ended */
    bool keep;          /* `out` is valid as far as it goes, whatever the errors */
    struct fail fail;   /* to standard error */
    int out_fd;         /* standard output, for what is written before the command has ended */
    /* of a command that is looked after (guarded.h) */
    struct asked *asked; /* [policy]; NULL: nobody wants to know */
    const struct batch_failed *failed; /* [policy]; NULL: none has */
    bool in_turn;        /* one policy after the other */
    volatile int *ended; /* set to the exit status when all is written; NULL: nobody asks */
};

struct command {
    const char *name, *operands, *sentence;
    char letter;
    int (*run)(const struct options *o, struct console *c);
};
const struct command *command_find(const char *name, struct fail *fail); /* NULL: an error */
void help_show(const struct command *command, struct text *out);         /* NULL: of all */

#define COMMAND(name, letter, operands, sentence) \
    int command_##name(const struct options *o, struct console *c);
#include "cli/list.def"
#undef COMMAND

#endif
