#ifndef REALM_CLI_CMAPPING_H
#define REALM_CLI_CMAPPING_H

#include <stddef.h>

// Turns faults in mapped files into errors. If another process truncates a mapped file, touching a page
// past the new end raises SIGBUS, which ends the process; so does a page that cannot be read from the
// disk. The handler maps a page of zeros instead and records the fault, if the address is in a
// registered mapping. The reader must check the record before it trusts the data.

// Installs the handler if it is not installed. It also guards mappings that were registered earlier.
// Returns 0 if the system rejects the handler.
int cmapping_install(void);

// Whether the handler is installed.
int cmapping_is_installed(void);

// Registers the mapping [base, base + size). Returns a slot number, or -1 if all slots are taken.
int cmapping_register(const void *base, size_t size);

// Unregisters the mapping in `slot`. -1 is allowed.
void cmapping_unregister(int slot);

// Returns 0 if every touched page of the mapping in `slot` could be read, otherwise the byte offset of
// the last page that could not, plus one.
size_t cmapping_cut(int slot);

#endif
