/* Memory pools, for other parts of the library. */
#ifndef CORUN_RUNTIME_POOL_H
#define CORUN_RUNTIME_POOL_H

/* Call after memory has been freed: the memory counts no longer against its pool's limit. */
void corun_pool_freed(const void *pointer);

#endif
