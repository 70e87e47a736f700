/* corun help: lists the commands of list.def, and shows the help of a command. */
#include <string.h>
#include "cli/common/command.h"

static const struct command commands[] = {
#define COMMAND(name, letter, operands, sentence) \
    {#name, operands, sentence, letter, command_##name},
#include "cli/list.def"
#undef COMMAND
};

static void show_all(struct text *out)
{
    text_add(out, "corun: several GPU programs sharing one simulated GPU\n\n");
    for (u32 i = 0; i < COUNT_OF(commands); i++) {
        text_add(out, "  corun %s %s\n      %s\n", commands[i].name, commands[i].operands,
                 commands[i].sentence);
    }
    text_add(out, "\n"
             "  corun help COMMAND       print the options of a command; also corun COMMAND "
             "--help\n"
             "  corun --version, -V\n\n"
             "APP is a shipped workload, NAME or NAME:key=value,... (corun list workloads; corun\n"
             "list parameters has the keys), or an app file, ./FILE.yaml. Numbers are written\n"
             "2000000, 2e6 or 2M. Results go to standard output, messages to standard error.\n"
             "Exit status: 0 done; 1 the simulated run ended abnormally; 2 the input is wrong or\n"
             "a result could not be written; 3 an internal check failed; 130 interrupted by\n"
             "Ctrl-C, 143 by SIGTERM.\n");
}

static void show_lists(struct text *out)
{
    for (u32 i = 0; i < catalog_list_n; i++)
        text_add(out, "  %-16s %s\n", catalog_lists[i].name, catalog_lists[i].sentence);
    text_add(out, "\n");
}

void help_show(const struct command *command, struct text *out)
{
    if (!command) {
        show_all(out);
        return;
    }
    text_add(out, "corun %s %s\n    %s\n\n", command->name, command->operands, command->sentence);
    if (command->run == command_list) show_lists(out);
    options_help(command->letter, out);
}

const struct command *command_find(const char *name, struct fail *fail)
{
    struct nearest nearest;
    nearest_init(&nearest, name);
    for (u32 i = 0; i < COUNT_OF(commands); i++) {
        if (!strcmp(commands[i].name, name)) return &commands[i];
        nearest_offer(&nearest, commands[i].name);
    }
    struct source source = {COMMAND_LINE, name, strlen(name)};
    fail_at(fail, &source, 0, "unknown command '%s'", name);
    fail_nearest(fail, &nearest);
    fail_note(fail, "corun --help shows the commands");
    return NULL;
}

int command_help(const struct options *o, struct console *c)
{
    if (o->operand_n > 1) {
        fail_plain(&c->fail, "expected one command");
        return EXIT_INPUT;
    }
    const struct command *command = NULL;
    if (o->operand_n) command = command_find(o->operands[0], &c->fail);
    if (c->fail.error_n) return EXIT_INPUT;
    help_show(command, &c->out);
    return EXIT_DONE;
}
