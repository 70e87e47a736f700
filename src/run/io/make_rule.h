/* Make rules as compilers write them (-MD): "target: file file \ file". */
#ifndef CORUN_MAKE_RULE_H
#define CORUN_MAKE_RULE_H

char *make_rule_files(char *rule); /* returns the part behind the first colon */
/* Returns the next file name of *rest, unescaped in place, and advances *rest; NULL: no more. A
 * name that ends in a backslash cannot be told from a name with a blank. */
char *make_rule_next(char **rest);

#endif
