#ifndef REALM_CLI_CSIMDJSON_H
#define REALM_CLI_CSIMDJSON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The kinds of tokens.
enum csimdjson_kind {
  CSIMDJSON_NULL = 0,
  CSIMDJSON_FALSE = 1,
  CSIMDJSON_TRUE = 2,
  // A number without fraction and exponent that fits a signed 64-bit integer: `integer`.
  CSIMDJSON_INTEGER = 3,
  // A number with a fraction or an exponent: `number`, the nearest double.
  CSIMDJSON_DOUBLE = 4,
  // A number that fits neither; its bytes in the input have the value.
  CSIMDJSON_LARGE_NUMBER = 5,
  // A string: `bytes` has the `length` bytes of it, with its escapes replaced.
  CSIMDJSON_STRING = 6,
  // The name of a member, stored like a string; its value is the next token.
  CSIMDJSON_NAME = 7,
  // An array: `integer` is the number of its elements, which follow.
  CSIMDJSON_ARRAY = 8,
  // An object: `integer` is the number of its members, which follow, each as a name and a value.
  CSIMDJSON_OBJECT = 9
};

// A value or a name. Tokens are in the order of the input.
typedef struct {
  // The offset in the input at which it starts.
  uint32_t offset;
  // Bytes of a string with its escapes replaced, or of a number as written.
  uint32_t length;
  // The number of the next token that is not inside this one.
  uint32_t end;
  // One of csimdjson_kind.
  uint32_t kind;
  union {
    int64_t integer;
    double number;
    uint8_t *bytes;
  } value;
} csimdjson_token;

// Why an input cannot be parsed.
enum csimdjson_error {
  CSIMDJSON_SUCCESS = 0,
  // The input breaks the grammar of JSON.
  CSIMDJSON_SYNTAX = 1,
  // The input ends before its value does.
  CSIMDJSON_INCOMPLETE = 2,
  // The input continues after its value.
  CSIMDJSON_TRAILING = 3,
  // A string or name is not valid: an unknown escape, half of a surrogate pair.
  CSIMDJSON_BAD_STRING = 4,
  // A string contains a character below U+0020.
  CSIMDJSON_CONTROL_CHARACTER = 5,
  CSIMDJSON_BAD_UTF8 = 6,
  CSIMDJSON_BAD_NUMBER = 7,
  // Arrays and objects are nested deeper than CSIMDJSON_MAXIMUM_DEPTH.
  CSIMDJSON_TOO_DEEP = 8,
  // There are more than the maximum number of tokens.
  CSIMDJSON_TOO_MANY = 9,
  CSIMDJSON_NO_MEMORY = 10,
  // The input is neither an object nor an array.
  CSIMDJSON_SCALAR = 11
};

// Maximum levels of arrays and objects.
#define CSIMDJSON_MAXIMUM_DEPTH 512

// Bytes after an input that must be readable.
#define CSIMDJSON_PADDING 64

// Parses JSON values, one after the other. Belongs to one thread.
typedef struct csimdjson_parser csimdjson_parser;

// Returns null if there is no memory.
csimdjson_parser *csimdjson_create(void);

void csimdjson_destroy(csimdjson_parser *parser);

// Parses the input `text`, one object or array, into tokens. Strings stay in their place, where their
// escapes are replaced, so an input can be parsed only once.
//
// `text` has `length` bytes and CSIMDJSON_PADDING more that are readable; the first of those is changed
// during the call. `maximum` is the maximum number of tokens.
//
// Returns one of csimdjson_error. On success, sets `tokens` to `count` tokens, which are valid until the
// next call. On failure, sets `offset` to the place of the error, as far as it is known.
int csimdjson_parse(
    csimdjson_parser *parser, uint8_t *text, size_t length, size_t maximum,
    const csimdjson_token **tokens, size_t *count, size_t *offset);

#ifdef __cplusplus
}
#endif

#endif
