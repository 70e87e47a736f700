/* cudaProfilerStart and its kin are in the run-time API. */
#include "cuda_runtime_api.h"
