/* Memory allocated by graphs. An allocation node gets its address when the node is created; the
 * memory remains until the process ends, because the graph may be launched again. */
#ifndef CORUN_CAPTURE_MEMORY_H
#define CORUN_CAPTURE_MEMORY_H

#include <stdbool.h>

#include "cuda/include/cuda_runtime_api.h"

void corun_graph_memory_add(void *pointer, size_t bytes);
bool corun_is_graph_memory(const void *pointer);
/* Mark the memory as used at a launch, and as unused. With `again` memory in use may be taken
 * again. Memory that no graph has allocated may be given back without effect. */
cudaError_t corun_graph_memory_take(void *pointer, bool again);
cudaError_t corun_graph_memory_give(void *pointer);
/* Marks graph memory as unused; the pages remain. Memory of another origin is an error. */
cudaError_t corun_free_graph_memory(void *pointer);

#endif
