#ifndef REALM_CLI_CSYSTEM_INTERRUPTS_H
#define REALM_CLI_CSYSTEM_INTERRUPTS_H

// From now on, SIGINT does not end the process: a thread calls `body` for it. Called once. Returns 1, or 0 if the thread
// could not be started; the signal then still ends the process.
int csystem_catch_interrupts(void (*body)(void));

#endif
