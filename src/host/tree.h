/* A YAML text as a tree whose nodes know their place, for messages with line, column and caret.
 * Reads through libyaml's events, so depth is bounded: 100,000 nested braces end at TREE_DEPTH.
 * Anchors, aliases, tags and a second document are refused by name: an app file needs none, and
 * they make a place ambiguous. */
#ifndef CORUN_TREE_H
#define CORUN_TREE_H

#include "base/arena.h"
#include "base/fail.h"

enum { TREE_DEPTH = 16, TREE_MAP_MAX = 1024 };

enum node_kind { NODE_TEXT, NODE_LIST, NODE_MAP, NODE_ANY /* only in a key_row */ };
struct node {
    enum node_kind kind;
    const char *text; /* NODE_TEXT: NUL-terminated, holds no NUL itself; NODE_LIST, NODE_MAP: "" */
    size_t offset;    /* byte of the source where it begins */
    u32 n;            /* items of a list, pairs of a map */
    struct node *first; /* items in order; of a map: its keys, each of which holds its value */
    struct node *next;
    struct node *value;
};

/* The whole text. NULL with an error in `fail`. */
struct node *tree_parse(const struct source *source, struct arena *arena, struct fail *fail);

const char *node_kind_name(enum node_kind kind); /* "a list" */

/* A map with known keys. */
struct key_row {
    const char *key;
    enum node_kind kind;
    bool needed;
};
/* Puts the value of each row's key at values[row], NULL when absent. Adds an error for each key
 * that is unknown (with the nearest one), given twice, of the wrong kind or missing; `what` names
 * the map. false: there were errors. */
bool tree_keys(const struct node *map, const char *what, const struct key_row *rows, u32 row_n,
               const struct node **values, const struct source *source, struct fail *fail);
/* A map whose keys are the user's names: an error for each key given twice, and for values that are
 * not of `kind`. */
bool tree_names(const struct node *map, const char *what, enum node_kind kind,
                const struct source *source, struct fail *fail);

#endif
