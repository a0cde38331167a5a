#ifndef REALM_CLI_CSYSTEM_TERMINAL_H
#define REALM_CLI_CSYSTEM_TERMINAL_H

#include <stdint.h>

// Returns the number of columns of the terminal at `descriptor`; 0 if it is not a terminal or the
// number is unknown.
int csystem_terminal_width(int descriptor);

// Returns the number of lines of the terminal at `descriptor`; 0 if it is not a terminal or the number is unknown.
int csystem_terminal_height(int descriptor);

// Returns the number of columns that a Unicode scalar takes on a terminal: 0, 1 or 2; 1 for unknown and
// control characters. Uses wcwidth in a UTF-8 locale, whatever the user's locale is.
int csystem_columns(uint32_t scalar);

#endif
