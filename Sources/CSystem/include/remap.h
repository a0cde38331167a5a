#ifndef REALM_CLI_CSYSTEM_REMAP_H
#define REALM_CLI_CSYSTEM_REMAP_H

#include <stddef.h>

// Moves the memory of `size` bytes at `from` to `to`. Both are page-aligned parts of private
// anonymous mappings. The previous memory at `to` is released, and `from` has no memory until it is
// touched again, like a new mapping.
//
// Returns 1 on success; 0 if this system cannot do it, or cannot do it now: then `to` may have no
// memory; -1 if `to` is not mapped any more.
int csystem_move_memory(void *from, void *to, size_t size);

#endif
