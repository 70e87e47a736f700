/* Interface between main and the commands. A command gets its options and a console, and returns an
 * exit status, with texts for standard output and messages in the console. Exit status: 0 done; 1
 * the simulated run ended abnormally; 2 the input is wrong or a result could not be written; 130,
 * 143 interrupted by SIGINT, SIGTERM. */
#ifndef CORUN_COMMAND_H
#define CORUN_COMMAND_H

#include "cli/common/option.h"

enum { EXIT_DONE, EXIT_ABNORMAL, EXIT_INPUT, EXIT_SIGNAL = 128 /* plus the signal's number */ };

struct batch_failed;
struct console {
    struct text out;    /* written to standard output after the command */
    bool keep;          /* print `out` in spite of errors */
    struct fail fail;   /* written to standard error */
    int out_fd;         /* descriptor of standard output, for output during the command */
    /* Used by guarded commands (guarded.h): */
    struct hook_call *hook_call; /* [policy] watchdog records; NULL: none */
    const struct batch_failed *failed; /* [policy] earlier failures; NULL: none */
    bool in_turn;        /* run the policies one after the other */
    volatile int *ended; /* set to the exit status after all output is written; NULL: unused */
};

struct command {
    const char *name, *operands, *sentence;
    char letter;
    int (*run)(const struct options *o, struct console *c);
};
const struct command *command_find(const char *name, struct fail *fail); /* NULL: error */
void help_show(const struct command *command, struct text *out);         /* NULL: all commands */

#define COMMAND(name, letter, operands, sentence) \
    int command_##name(const struct options *o, struct console *c);
#include "cli/list.def"
#undef COMMAND

#endif
