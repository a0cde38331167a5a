#ifndef REALM_CLI_CMAPPING_H
#define REALM_CLI_CMAPPING_H

#include <stddef.h>

// If another process truncates a mapped file, touching a page past the new end raises SIGBUS, which
// ends the process. A program that wants an error instead installs this handler. If the faulting
// address lies in a registered mapping, the handler maps a page of zeros there and records the
// fault; the reader checks the record before it trusts the data.

// Installs the handler, once. It also guards mappings that are registered already. Returns 0 if the
// system rejects the handler.
int cmapping_install(void);

// Whether the handler is installed.
int cmapping_is_installed(void);

// Registers the mapping [base, base + size). Returns a slot number, or -1 when all slots are taken.
int cmapping_register(const void *base, size_t size);

// Forgets the mapping in `slot`.
void cmapping_unregister(int slot);

// 0 if every touched page of the mapping in `slot` could be read; otherwise the offset in bytes of
// the last missing page, plus one. The system raises the same signal for a page that it cannot read
// from the disk.
size_t cmapping_cut(int slot);

#endif
