#ifndef REALM_CLI_CSYSTEM_PROCESS_H
#define REALM_CLI_CSYSTEM_PROCESS_H

#include <stddef.h>

// Runs `command` with /bin/sh -c and stores up to `size` bytes of its standard output in `buffer`
// and their number in `count`. Further output fails as on a closed pipe.
//
// The command inherits standard input and error of this process, and its environment with the
// addition of `variable` ("NAME=value").
//
// Returns the exit status in the form of a shell (128 plus the number of the signal that ended the
// command), or -1 if the command could not be started.
int csystem_capture(
    const char *command, const char *variable, void *buffer, size_t size, size_t *count);

// Number of processors available to threads, at least 1.
int csystem_processors(void);

#endif
