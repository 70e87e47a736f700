/* Construction of nodes. */
#ifndef CORUN_ADD_H
#define CORUN_ADD_H

#include "cuda/capture/node.h"

/* Add a node: the node gets all calls of the current thread between corun_node_begin and
 * corun_node_made. After an error the node is removed. */
cudaError_t corun_node_begin(cudaGraphNode_t *node, cudaGraph_t graph, enum cudaGraphNodeType type,
                             const cudaGraphNode_t *before, size_t n);
cudaError_t corun_node_made(cudaGraphNode_t *node, cudaError_t error);

#endif
