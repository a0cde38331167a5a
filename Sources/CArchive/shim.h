#ifndef REALM_CLI_CARCHIVE_SHIM_H
#define REALM_CLI_CARCHIVE_SHIM_H

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>

// AE_IFREG of libarchive is a cast, which Swift does not import.
enum { carchive_regular_file = 0100000 };

// libarchive converts names through the locale; ours are UTF-8, independent of the user's locale.
static inline void carchive_use_utf8(void) {
  if (setlocale(LC_CTYPE, "C.UTF-8") == NULL) setlocale(LC_CTYPE, "en_US.UTF-8");
}

#endif
