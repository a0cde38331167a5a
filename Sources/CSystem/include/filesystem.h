#ifndef REALM_CLI_CSYSTEM_FILESYSTEM_H
#define REALM_CLI_CSYSTEM_FILESYSTEM_H

// Returns 1 if the file system of `folder` is known to be used only by this machine; otherwise 0.
int csystem_is_local(const char *folder);

#endif
