#ifndef REALM_CLI_CSYSTEM_RENAME_H
#define REALM_CLI_CSYSTEM_RENAME_H

// Renames a file in one step unless something has the new name already: then it fails with EEXIST.
// EINVAL, ENOSYS or ENOTSUP says that the file system cannot do that. 0 on success, else -1.
int csystem_rename_without_replacing(const char *from, const char *to);

#endif
