#ifndef REALM_CLI_CSYSTEM_TERMINAL_H
#define REALM_CLI_CSYSTEM_TERMINAL_H

#include <stdint.h>

// Columns of the terminal behind `descriptor`, or 0 where there is none or it does not know.
int csystem_terminal_width(int descriptor);

// Columns that a terminal gives to a Unicode scalar: 0, 1 or 2. Unknown and control characters
// count as 1. Asks wcwidth in a UTF-8 locale, whatever the user's locale is.
int csystem_columns(uint32_t scalar);

#endif
