#ifndef REALM_CLI_CSYSTEM_REMAP_H
#define REALM_CLI_CSYSTEM_REMAP_H

#include <stddef.h>

// Moves the memory behind `size` bytes at `from` to `to`; both are parts of private anonymous mappings
// and multiples of a page. What was behind `to` is given back, and `from` has no memory until it is
// touched, as if it were new.
//
// Returns 1 where that was done, 0 where this system cannot do it, or not now: `to` may have no memory
// then. -1 where `to` is not mapped any more.
int csystem_move_memory(void *from, void *to, size_t size);

#endif
