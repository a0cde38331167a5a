#ifndef REALM_CLI_CSYSTEM_UNFINISHED_H
#define REALM_CLI_CSYSTEM_UNFINISHED_H

// The files that are being written and must not outlive the process, and the folders created for them.
// Each is registered until it is complete. A signal handler removes the files, and then the folders
// that are empty, so the paths are in fixed memory and all functions are async-signal-safe.

// Registers a file that is about to be created at `path`, or a new folder. Returns a slot number, or -1
// if all slots are taken or the path is too long; a signal then does not remove it.
int csystem_register_unfinished(const char *path);

// Unregisters the file or folder in `slot` once it is published or removed. -1 is allowed.
void csystem_forget_unfinished(int slot);

// Removes and unregisters all files, and all folders that are then empty.
void csystem_remove_unfinished(void);

// Installs signal handlers. SIGPIPE is ignored, so that writing to a closed pipe fails. SIGINT, SIGTERM
// and SIGHUP remove the unfinished files and end the process with status 130, 143 and 129. A signal that
// the parent process ignores, as with nohup, stays ignored.
void csystem_install_signals(void);

// From now on, SIGINT ends the process with status 0, for a program that runs until the user interrupts it.
void csystem_finish_on_interrupt(void);

#endif
