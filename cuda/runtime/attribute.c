/* Attributes of streams, and of kernels in graphs. */
#include <string.h>

#include "cuda/capture/node.h"
#include "cuda/connection/error.h"
#include "cuda/runtime/stream.h"
#include "cuda/runtime/stream_id.h"

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   cudaStreamAttrValue *value)
{
    uint64_t apart;
    int64_t priority;
    if (!value) return corun_note(cudaErrorInvalidValue);
    if (attribute != cudaLaunchAttributePriority)
        return corun_missing("cudaStreamGetAttribute of another attribute than the priority");
    cudaError_t error = corun_stream_get(stream, &apart, &priority);
    if (!error) value->priority = (int)priority;
    return corun_note(error);
}

/* Sets the priority of all launches queued later. */
static cudaError_t set_priority(cudaStream_t stream, int priority)
{
    return corun_simple(.call = CALL_STREAM_SET,
                        .at = {corun_stream(stream), (uint64_t)(int64_t)wire_priority(priority)});
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue *value)
{
    if (!value) return corun_note(cudaErrorInvalidValue);
    if (attribute != cudaLaunchAttributePriority)
        return corun_missing("cudaStreamSetAttribute of another attribute than the priority");
    return corun_note(set_priority(stream, value->priority));
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
    uint64_t apart;
    int64_t priority;
    cudaError_t error = corun_stream_get(from, &apart, &priority);
    return corun_note(error ? error : set_priority(to, (int)priority));
}

static bool is_kernel(cudaGraphNode_t node)
{
    return node && node->type == cudaGraphNodeTypeKernel && node->call_n == 1;
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID attribute,
                                            cudaKernelNodeAttrValue *value)
{
    struct wire_launch l;
    if (!is_kernel(node) || !value) return corun_note(cudaErrorInvalidValue);
    memcpy(&l, node->calls->payload, sizeof l);
    switch ((int)attribute) {
    case cudaLaunchAttributePriority: value->priority = node->priority; return cudaSuccess;
    case cudaLaunchAttributeCooperative:
        value->cooperative = (int)l.cooperative;
        return cudaSuccess;
    default:
        return corun_missing("cudaGraphKernelNodeGetAttribute of another attribute than priority "
                             "and cooperative");
    }
}

static void set_cooperative(cudaGraphNode_t node, bool cooperative)
{
    struct wire_launch l;
    memcpy(&l, node->calls->payload, sizeof l);
    l.cooperative = cooperative;
    memcpy(corun_pointer(corun_address(node->calls->payload)), &l, sizeof l);
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID attribute,
                                            const cudaKernelNodeAttrValue *value)
{
    if (!is_kernel(node) || !value) return corun_note(cudaErrorInvalidValue);
    switch ((int)attribute) {
    case cudaLaunchAttributePriority:
        node->priority = wire_priority(value->priority);
        return cudaSuccess;
    case cudaLaunchAttributeCooperative:
        set_cooperative(node, value->cooperative != 0);
        return cudaSuccess;
    default:
        return corun_missing("cudaGraphKernelNodeSetAttribute of another attribute than priority "
                             "and cooperative");
    }
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from)
{
    cudaKernelNodeAttrValue cooperative = {.cooperative = 0};
    if (!is_kernel(to)) return corun_note(cudaErrorInvalidValue);
    cudaError_t error =
        cudaGraphKernelNodeGetAttribute(from, cudaLaunchAttributeCooperative, &cooperative);
    if (error) return error;
    to->priority = from->priority;
    set_cooperative(to, cooperative.cooperative != 0);
    return cudaSuccess;
}
