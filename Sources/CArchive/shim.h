#ifndef REALM_CLI_CARCHIVE_SHIM_H
#define REALM_CLI_CARCHIVE_SHIM_H

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>

// AE_IFREG of libarchive, a cast that Swift does not import.
enum { carchive_regular_file = 0100000 };

// Sets a UTF-8 locale, whatever the user's locale is: libarchive converts names with the locale, and ours are
// UTF-8.
static inline void carchive_use_utf8(void) {
  if (setlocale(LC_CTYPE, "C.UTF-8") == NULL) setlocale(LC_CTYPE, "en_US.UTF-8");
}

#endif
