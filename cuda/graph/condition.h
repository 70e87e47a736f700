/* Conditions of conditional nodes: words in device memory, set by kernels (src/exec/builtin.c). The
 * handle of a condition is the address of its word. */
#ifndef CORUN_CONDITION_H
#define CORUN_CONDITION_H

#include "cuda/capture/node.h"

struct graph_condition *corun_condition_find(cudaGraphConditionalHandle handle); /* NULL: none */
/* Waits for all work of the stream and reads the word. */
cudaError_t corun_condition_read(const struct graph_condition *c, cudaStream_t stream,
                                 unsigned int *value);
/* Resets each condition of the graph that has an initial value for every launch. */
cudaError_t corun_condition_reset(const struct CUgraph_st *g, cudaStream_t stream);

#endif
