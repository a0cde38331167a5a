#ifndef REALM_CLI_CSYSTEM_ALLOCATOR_H
#define REALM_CLI_CSYSTEM_ALLOCATOR_H

// Lets the allocator keep freed memory, up to 64 MB for each thread, instead of giving it back to the system at once. This is
// for programs that free and allocate large buffers all the time: each page from the system costs a page fault and 4 KB of
// zeros. Does nothing with other allocators than that of glibc.
void csystem_keep_freed_memory(void);

#endif
