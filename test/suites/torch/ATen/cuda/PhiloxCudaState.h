/* Stands in for PyTorch's header of the same name: seed and offset of random numbers, given as
 * numbers or, for captured graphs, as pointers to numbers. */
#pragma once
#include <cstdint>
namespace at {
struct PhiloxCudaState {
    union Number {
        uint64_t value;
        int64_t *pointer;
    } seed, offset;
    uint32_t offset_in_graph;
    bool captured;
};
}
