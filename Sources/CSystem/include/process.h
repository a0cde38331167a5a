#ifndef REALM_CLI_CSYSTEM_PROCESS_H
#define REALM_CLI_CSYSTEM_PROCESS_H

#include <stddef.h>
#include <sys/types.h>

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

// Starts `command` with /bin/sh -c, as the reader of a pipe whose other end is stored in `input`. It inherits everything
// else, and `variable` ("NAME=value") is added to its environment.
//
// Returns its number, for csystem_wait, or -1 if it could not be started.
pid_t csystem_start_reader(const char *command, const char *variable, int *input);

// Waits for the end of a process, and returns its exit status as csystem_capture does.
int csystem_wait(pid_t process);

// Runs the program at `path` to its end, and returns its exit status as csystem_capture does. `arguments` ends with NULL.
// The program inherits the standard streams; without `has_input` its standard input is empty.
int csystem_run(const char *path, char *const arguments[], int has_input);

// Returns the number of processors available to threads, at least 1.
int csystem_processors(void);

// Raises the limit of open files, as far as the system allows it.
void csystem_allow_many_files(void);

#endif
