#ifndef REALM_CLI_CSYSTEM_UNFINISHED_H
#define REALM_CLI_CSYSTEM_UNFINISHED_H

// Files that are being written and must not outlive the process: each has a name only while it is
// half-done. A signal handler removes them, so their paths lie in fixed memory and everything here
// is safe to run at any instant.

// Registers the file that is about to be created at `path`. Returns a slot number, or -1 where all
// slots are taken or the path is too long for one; the file is then not removed by a signal.
int csystem_register_unfinished(const char *path);

// Forgets the file in `slot`: it was published or removed. -1 is allowed.
void csystem_forget_unfinished(int slot);

// Removes every registered file and forgets it.
void csystem_remove_unfinished(void);

// Ignores SIGPIPE (a closed pipe is then an error of write), and lets SIGINT, SIGTERM and SIGHUP
// remove the unfinished files and end the process with 130, 143 and 129. A signal that the parent
// has set to be ignored, as nohup does, stays ignored.
void csystem_install_signals(void);

#endif
