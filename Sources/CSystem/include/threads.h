#ifndef REALM_CLI_CSYSTEM_THREADS_H
#define REALM_CLI_CSYSTEM_THREADS_H

#include <stddef.h>
#include <stdint.h>

// Calls body(context) on up to `count` new threads with stacks of `stack_size` bytes, side by side, and
// waits for all of them to end. Returns how many threads could be started.
int csystem_run_threads(int count, size_t stack_size, void (*body)(void *), void *context);

// An address in the part of the stack that is in use.
uintptr_t csystem_stack_place(void);

#endif
