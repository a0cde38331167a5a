#ifndef REALM_CLI_CSYSTEM_THREADS_H
#define REALM_CLI_CSYSTEM_THREADS_H

#include <stddef.h>
#include <stdint.h>

// Calls body(context) in parallel on up to `count` new threads with stacks of `stack_size` bytes, and
// waits for all of them to end. Returns the number of threads that could be started.
int csystem_run_threads(int count, size_t stack_size, void (*body)(void *), void *context);

// Calls body(context) on a new thread with a stack of `stack_size` bytes, and does not wait. Returns 1, or 0 if the
// thread could not be started.
int csystem_start_thread(size_t stack_size, void (*body)(void *), void *context);

// Returns an address in the part of the stack that is in use.
uintptr_t csystem_stack_place(void);

#endif
