/* The heap of malloc, with huge pages: a short run writes thousands of small pages for the first
 * time, and each page fault is slow in a virtual machine. */
#ifndef CORUN_HEAP_H
#define CORUN_HEAP_H

/* Extends the heap, which is empty when the process starts, by some megabytes of huge pages. Call
 * first in main. No effect if the host has no huge pages or malloc is not that of glibc. */
void heap_extend(void);

#endif
