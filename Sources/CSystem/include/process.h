#ifndef REALM_CLI_CSYSTEM_PROCESS_H
#define REALM_CLI_CSYSTEM_PROCESS_H

#include <stddef.h>

// Runs `command` with /bin/sh -c. Stores up to `size` bytes of its standard output in `buffer`, and their
// number in `count`; further writes fail, as on a closed pipe.
//
// The command inherits the standard input, standard error and environment of this process. `variable`
// ("NAME=value") is added to the environment.
//
// Returns the exit status as a shell does: 128 plus the number of the signal if one ended the command.
// Returns -1 if the command could not be started.
int csystem_capture(
    const char *command, const char *variable, void *buffer, size_t size, size_t *count);

// Returns the number of processors available to threads, at least 1.
int csystem_processors(void);

#endif
