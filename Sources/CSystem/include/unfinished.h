#ifndef REALM_CLI_CSYSTEM_UNFINISHED_H
#define REALM_CLI_CSYSTEM_UNFINISHED_H

// Files that are being written and must not outlive the process, and folders for them: each is
// registered until it is complete. A signal handler removes the files, and the folders that are empty
// then, so their paths are in fixed memory and everything here is async-signal-safe.

// Registers the file that is about to be created at `path`, or a new folder. Returns a slot number, or
// -1 if all slots are taken or the path is too long; a signal then removes nothing.
int csystem_register_unfinished(const char *path);

// Unregisters the file or folder in `slot`, which was published or removed. -1 is allowed.
void csystem_forget_unfinished(int slot);

// Removes and unregisters all files, and all folders that are empty.
void csystem_remove_unfinished(void);

// Ignores SIGPIPE, so that a closed pipe becomes a write error. SIGINT, SIGTERM and SIGHUP remove
// the unfinished files and end the process with 130, 143 and 129. A signal that the parent process
// ignores, as with nohup, stays ignored.
void csystem_install_signals(void);

#endif
