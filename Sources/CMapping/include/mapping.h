#ifndef REALM_CLI_CMAPPING_H
#define REALM_CLI_CMAPPING_H

#include <stddef.h>

// A mapped file that another process cuts short raises SIGBUS when a page behind the new end is
// touched, which ends the process. A program that wants an error instead installs the handler
// here: it puts a page of zeros under the faulting address, once it is known to lie in a registered
// mapping, and remembers that this happened; the reader asks before it trusts what it read.

// Installs the handler, once. Mappings that are registered already are guarded from then on. Returns
// 0 where the system refuses.
int cmapping_install(void);

// Whether the handler is installed.
int cmapping_is_installed(void);

// Registers the mapping [base, base + size). Returns a slot number, or -1 when all slots are taken.
int cmapping_register(const void *base, size_t size);

// Forgets the mapping in `slot`.
void cmapping_unregister(int slot);

// 0 while every page of the mapping in `slot` that was touched was there; else the offset in bytes
// of the last page that was missing, plus one. The system raises the same signal for a page that
// it cannot read from the disk.
size_t cmapping_cut(int slot);

#endif
