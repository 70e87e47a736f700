/* Elements of sequences, for kernels and in C for generators on the host. A caller with a constant
 * `output` gets the code of this output only. */
#ifndef CORUN_RAND_ELEMENT_H
#define CORUN_RAND_ELEMENT_H

#include "kernels.h"
#include "../include/device/random.h"

enum rand_generator { RAND_PHILOX, RAND_XORWOW, RAND_MRG };

CORUN_RANDOM int rand_words(enum rand_output output)
{
    return output >= RAND_UNIFORM_DOUBLE ? 2 : 1;
}
CORUN_RANDOM int rand_is_double(enum rand_output output)
{
    return output >= RAND_UNIFORM_DOUBLE && output <= RAND_LOG_NORMAL_DOUBLE;
}

/* Computes element `second` of a pair from the words of both elements, as float. */
CORUN_RANDOM float rand_float(enum rand_output output, const struct rand_call *c,
                              const unsigned w[2], int second)
{
    float a, b;
    if (output == RAND_UNIFORM) return corun_uniform(w[second]);
    corun_normal(w[0], w[1], &a, &b);
    float x = (float)c->mean + (float)c->stddev * (second ? b : a);
    return output == RAND_LOG_NORMAL ? expf(x) : x;
}

/* As double: the element itself, or for Poisson numbers the uniform or normal number below. */
CORUN_RANDOM double rand_double(enum rand_output output, const struct rand_call *c,
                                const unsigned w[4], int second)
{
    double a, b, u = corun_uniform_double(w[0], w[1]), v = corun_uniform_double(w[2], w[3]);
    if (output == RAND_UNIFORM_DOUBLE || output == RAND_POISSON) return second ? v : u;
    corun_normal_double(u, v, &a, &b);
    if (output == RAND_POISSON_LARGE) return second ? b : a;
    double x = c->mean + c->stddev * (second ? b : a);
    return output == RAND_LOG_NORMAL_DOUBLE ? exp(x) : x;
}

/* Stores element e of the sequence if the call wants the element. w: words of the pair. */
CORUN_RANDOM void rand_store(enum rand_output output, const struct rand_call *c,
                             unsigned long long e, const unsigned *w, int second)
{
    unsigned long long at = e - c->first;
    unsigned *counts = (unsigned *)c->out;
    if (e < c->first || at >= c->n) return;
    if (output == RAND_BITS) counts[at] = w[second];
    else if (output == RAND_POISSON)
        counts[at] = corun_poisson_of_uniform(rand_double(output, c, w, second), c->mean);
    else if (output == RAND_POISSON_LARGE)
        counts[at] = corun_poisson_of_normal(rand_double(output, c, w, second), c->mean);
    else if (rand_is_double(output)) ((double *)c->out)[at] = rand_double(output, c, w, second);
    else ((float *)c->out)[at] = rand_float(output, c, w, second);
}

/* Stores the elements e and e + 1; e is even. */
CORUN_RANDOM void rand_pair(enum rand_output output, const struct rand_call *c,
                            unsigned long long e, const unsigned *w)
{
    rand_store(output, c, e, w, 0);
    rand_store(output, c, e + 1, w, 1);
}

/* Stores the elements 4 unit to 4 unit + 3. */
CORUN_RANDOM void rand_philox_unit(enum rand_output output, const struct rand_call *c,
                                   unsigned long long unit)
{
    unsigned w[8];
    const unsigned blocks = (unsigned)rand_words(output);
    const unsigned long long from = c->places.unit, round = unit / RAND_PHILOX_SUBSEQUENCES -
                                                            from / RAND_PHILOX_SUBSEQUENCES;
    const unsigned long long subsequence = unit % RAND_PHILOX_SUBSEQUENCES;
    const unsigned long long place = subsequence < from % RAND_PHILOX_SUBSEQUENCES
                                         ? c->places.high + blocks * (round - 1)
                                         : c->places.low + blocks * round;
    corun_philox_at(w, c->seed, subsequence, place);
    if (blocks == 2) corun_philox_at(w + 4, c->seed, subsequence, place + 1);
    rand_pair(output, c, 4 * unit, w);
    rand_pair(output, c, 4 * unit + 2, w + 2 * blocks);
}

CORUN_RANDOM void rand_draw(enum rand_generator generator, int words, struct rand_state *s,
                            unsigned *w)
{
    for (int i = 0; i < words; i++)
        w[i] = generator == RAND_MRG ? corun_mrg(s->word, s->word + 3)
                                     : corun_xorwow(s->word, s->word + 1);
}

/* Stores the elements of the subsequences 2t and 2t + 1, and moves their states. */
CORUN_RANDOM void rand_subsequences(enum rand_generator generator, enum rand_output output,
                                    const struct rand_call *c, unsigned t)
{
    enum { PAIRS = RAND_SUBSEQUENCES / 2 };
    struct rand_state a = c->states[2 * t], b = c->states[2 * t + 1];
    unsigned long long pair = c->first / 2 / PAIRS * PAIRS + t;
    if (pair < c->first / 2) pair += PAIRS;
    for (; 2 * pair < c->last; pair += PAIRS) {
        unsigned w[4] = {0, 0, 0, 0};
        const int words = rand_words(output);
        if (2 * pair >= c->first) rand_draw(generator, words, &a, w);
        if (2 * pair + 1 < c->last) rand_draw(generator, words, &b, w + words);
        rand_pair(output, c, 2 * pair, w);
    }
    c->states[2 * t] = a;
    c->states[2 * t + 1] = b;
}

#endif
