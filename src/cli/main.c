/* corun: the command line. Finds the command in list.def, parses its options, prints what it says.
 * The only place that exits. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "cli/command.h"
#include "cli/guide/guide.h"
#include "run/io/file.h"

struct command {
    const char *name, *operands, *sentence;
    char letter;
    int (*run)(const struct options *o, struct console *c);
};
static const struct command commands[] = {
#define COMMAND(name, letter, operands, sentence) \
    {#name, operands, sentence, letter, command_##name},
#include "cli/list.def"
#undef COMMAND
};

static void show_help(struct text *out)
{
    text_add(out, "corun: several GPU programs sharing one simulated GPU\n\n");
    for (u32 i = 0; i < COUNT_OF(commands); i++) {
        text_add(out, "  corun %s %s\n      %s\n", commands[i].name, commands[i].operands,
                 commands[i].sentence);
    }
    text_add(out, "\n"
             "  corun COMMAND --help     its options\n"
             "  corun --version\n\n"
             "APP is a shipped workload, NAME or NAME:key=value,... (corun list workloads), or\n"
             "an app file, ./FILE.yaml. Results go to standard output, messages to standard\n"
             "error. Exit status: 0 done; 1 the simulated run ended abnormally; 2 the input is\n"
             "wrong; 3 an internal check failed.\n");
}

static void show_command_help(const struct command *command, struct text *out)
{
    text_add(out, "corun %s %s\n    %s\n\n", command->name, command->operands, command->sentence);
    options_help(command->letter, out);
}

static const struct command *find_command(const char *name, struct fail *fail)
{
    struct nearest nearest;
    nearest_init(&nearest, name);
    for (u32 i = 0; i < COUNT_OF(commands); i++) {
        if (!strcmp(commands[i].name, name)) return &commands[i];
        nearest_offer(&nearest, commands[i].name);
    }
    struct source source = {COMMAND_LINE, name, strlen(name)};
    fail_at(fail, &source, 0, "there is no command '%s'", name);
    fail_nearest(fail, &nearest);
    fail_note(fail, "corun --help shows the commands");
    return NULL;
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
        show_help(&c->out);
        return EXIT_DONE;
    }
    if (!strcmp(name, "--version")) {
        text_add(&c->out, "corun %s\n", CORUN_VERSION);
        return EXIT_DONE;
    }
    if (!strcmp(name, "--complete") && n > 2) { /* for the shells */
        guide_complete((const char *const *)arguments + 2, (u32)n - 2, &c->out);
        return EXIT_DONE;
    }
    if (!strcmp(name, "--manual") && guide_manual(n > 2 ? arguments[2] : NULL, &c->out))
        return EXIT_DONE;
    const struct command *command = find_command(name, &c->fail);
    if (!command) return EXIT_INPUT;
    struct options o;
    bool ok = options_parse(&o, command->letter, arguments + 2, (u32)n - 2, &c->fail);
    if (o.help) {
        fail_free(&c->fail);
        show_command_help(command, &c->out);
        return EXIT_DONE;
    }
    return ok ? command->run(&o, c) : EXIT_INPUT;
}

int main(int n, char **arguments)
{
    struct console c = {0};
    signal(SIGXFSZ, SIG_IGN); /* a write past the limit on file sizes fails like any other */
    int status = run_command(n, arguments, &c);
    if (status == EXIT_INPUT && !c.keep) c.out.size = 0;
    if (c.out.size && !file_write("-", c.out.bytes, c.out.size, &c.fail)) status = EXIT_INPUT;
    fputs(text_get(&c.fail.text), stderr);
    if (c.fail.error_n > FAIL_MAX) {
        fprintf(stderr, "and %u more errors\n", c.fail.error_n - FAIL_MAX);
    }
    text_free(&c.out);
    fail_free(&c.fail);
    return status;
}
