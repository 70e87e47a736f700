/* corun: the command line. Finds the command (help.c), parses the options, runs the command, prints
 * its output and messages, and returns the exit status. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/limit.h"
#include "base/version.h"
#include "cli/cc/options_file.h"
#include "cli/common/command.h"
#include "cli/common/heap.h"
#include "cli/guide/guide.h"
#include "run/input/compile.h"
#include "run/io/file.h"
#include "run/jobs/interrupt.h"

static bool has_stack(struct console *c)
{
    struct text why = {0};
    bool ok = limit_stack_suffices(&why);
    if (!ok) fail_plain(&c->fail, "%s", text_get(&why));
    text_free(&why);
    return ok;
}

/* Parses the arguments behind the command's name, and runs the command. */
static int run_with(const struct command *command, char *const *arguments, u32 n,
                    struct console *c)
{
    struct options o;
    bool ok = options_parse(&o, command->letter, arguments, n, &c->fail);
    if (o.help) {
        fail_free(&c->fail);
        help_show(command, &c->out);
        return EXIT_DONE;
    }
    return ok ? command->run(&o, c) : EXIT_INPUT;
}

static int run_command(int n, char **arguments, struct console *c)
{
    if (n < 2) {
        fail_plain(&c->fail, "expected a command");
        fail_note(&c->fail, "corun --help shows the commands");
        return EXIT_INPUT;
    }
    const char *name = arguments[1];
    if (!strcmp(name, "--help") || !strcmp(name, "-h")) {
        help_show(NULL, &c->out);
        return EXIT_DONE;
    }
    if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
        if (n > 2) {
            fail_plain(&c->fail, "%s takes nothing else", name);
            return EXIT_INPUT;
        }
        text_add(&c->out, "corun %s", CORUN_VERSION);
        if (version_commit[0]) text_add(&c->out, " (%s)", version_commit);
        text_add(&c->out, "\n");
        return EXIT_DONE;
    }
    if (!strcmp(name, "--complete") && n > 2) { /* for shell completion */
        guide_complete((const char *const *)arguments + 2, (u32)n - 2, &c->out);
        return EXIT_DONE;
    }
    if (!strcmp(name, "--manual") && guide_manual(n > 2 ? arguments[2] : NULL, &c->out))
        return EXIT_DONE;
    const struct command *command = command_find(name, &c->fail);
    if (!command) return EXIT_INPUT;
    struct given_words words = {0};
    char *const *given = arguments + 2;
    u32 given_n = (u32)n - 2;
    bool expanded = true;
    if (command->letter == 'y') {
        expanded = given_words_expand(&words, given, given_n, &c->fail);
        given = words.at;
        given_n = words.n;
    }
    int status = expanded ? run_with(command, given, given_n, c) : EXIT_INPUT;
    given_words_free(&words);
    return status;
}

int main(int n, char **arguments)
{
    heap_extend();
    struct console c = {.out_fd = STDOUT_FILENO};
    if (!file_standard_descriptors()) return EXIT_INPUT;
    compile_share();
    signal(SIGXFSZ, SIG_IGN); /* a write beyond the file size limit fails like any other write */
    int status = has_stack(&c) ? run_command(n, arguments, &c) : EXIT_INPUT;
    if (status == EXIT_INPUT && !c.keep) c.out.size = 0;
    if (interrupt_came() && status <= EXIT_INPUT) status = EXIT_SIGNAL + interrupt_came();
    if (isatty(STDOUT_FILENO) == 1) text_mask(&c.out);
    if (c.out.size && !file_write("-", c.out.bytes, c.out.size, &c.fail)) status = EXIT_INPUT;
    text_mask(&c.fail.text);
    dprintf(STDERR_FILENO, "%s", text_get(&c.fail.text));
    if (c.fail.error_n > FAIL_MAX) {
        dprintf(STDERR_FILENO, "and %u more errors\n", c.fail.error_n - FAIL_MAX);
    }
    text_free(&c.out);
    fail_free(&c.fail);
    if (c.ended) *c.ended = status;
    return status;
}
