#ifndef REALM_CLI_CSQLITE_SHIM_H
#define REALM_CLI_CSQLITE_SHIM_H

#include <sqlite3.h>

// SQLITE_CONSTRAINT_NOTNULL, an expression that Swift does not import.
enum { csqlite_constraint_not_null = SQLITE_CONSTRAINT_NOTNULL };

#endif
