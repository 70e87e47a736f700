/* What host and kernels of cuRAND share. Elements of a sequence are counted from 0; element i
 * belongs to a subsequence, and takes one or two words from the subsequence:
 *   Philox        unit i / 4 of subsequence i / 4 modulo 65536; the four elements of a unit take
 *                 one or two blocks of four words, from the place of the subsequence on
 *   XORWOW, MRG   subsequence i modulo 4096
 * Elements 2j and 2j + 1 are a pair: two normal numbers need the words of both. */
#ifndef CORUN_RAND_KERNELS_H
#define CORUN_RAND_KERNELS_H

enum { RAND_PHILOX_SUBSEQUENCES = 65536, RAND_SUBSEQUENCES = 4096 };

enum rand_output {
    RAND_BITS, RAND_UNIFORM, RAND_NORMAL, RAND_LOG_NORMAL, /* one word per element */
    RAND_UNIFORM_DOUBLE, RAND_NORMAL_DOUBLE, RAND_LOG_NORMAL_DOUBLE, /* two */
    RAND_POISSON,       /* mean up to CORUN_POISSON_EXACT */
    RAND_POISSON_LARGE, /* from normal numbers */
    RAND_OUTPUTS
};

struct rand_state { /* of a subsequence: XORWOW d and v, MRG32k3a both parts */
    unsigned word[6];
};

/* Places of the subsequences of Philox, in blocks, before unit `unit`: `low` from subsequence
 * `unit` modulo 65536 on, `high` below. */
struct rand_places {
    unsigned long long unit, low, high;
};

struct rand_call {
    void *out;
    unsigned long long first, n; /* elements `first` up to first + n are stored */
    unsigned long long last;     /* the next call begins here: first + n, or a pair's end */
    unsigned long long seed;     /* Philox */
    struct rand_places places;   /* Philox */
    struct rand_state *states;   /* the others: RAND_SUBSEQUENCES */
    double mean, stddev;
};

#endif
