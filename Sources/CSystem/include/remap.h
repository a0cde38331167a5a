#ifndef REALM_CLI_CSYSTEM_REMAP_H
#define REALM_CLI_CSYSTEM_REMAP_H

#include <stddef.h>

// Moves the memory of the `size` bytes at `from` to `to`. Both are page-aligned parts of private
// anonymous mappings. Memory at `to` is released, and `from` becomes like a new mapping, which gets
// memory when it is touched.
//
// Returns 1 on success; 0 if the system does not support this or cannot do it now, which may release
// the memory at `to`; -1 if `to` is no longer mapped.
int csystem_move_memory(void *from, void *to, size_t size);

#endif
