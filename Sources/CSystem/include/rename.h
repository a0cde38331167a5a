#ifndef REALM_CLI_CSYSTEM_RENAME_H
#define REALM_CLI_CSYSTEM_RENAME_H

// Renames a file in one step. Fails with EEXIST if the new name exists, and with EINVAL, ENOSYS or
// ENOTSUP if the file system does not support this. Returns 0 on success, otherwise -1.
int csystem_rename_without_replacing(const char *from, const char *to);

#endif
