#ifndef REALM_CLI_CSIMDJSON_H
#define REALM_CLI_CSIMDJSON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The kind of a token.
enum csimdjson_kind {
  CSIMDJSON_NULL = 0,
  CSIMDJSON_FALSE = 1,
  CSIMDJSON_TRUE = 2,
  // A number without fraction or exponent that fits in a signed 64-bit integer: `integer`.
  CSIMDJSON_INTEGER = 3,
  // A number with a fraction or an exponent: `number`, the nearest double.
  CSIMDJSON_DOUBLE = 4,
  // A number that is too large for either. The input has its digits.
  CSIMDJSON_LARGE_NUMBER = 5,
  // `bytes`: the string with its escapes replaced, `length` bytes.
  CSIMDJSON_STRING = 6,
  // The name of a member, like a string; its value is the next token.
  CSIMDJSON_NAME = 7,
  // `integer`: the number of elements, which follow.
  CSIMDJSON_ARRAY = 8,
  // `integer`: the number of members, which follow as a name and a value each.
  CSIMDJSON_OBJECT = 9
};

// A value or a name, in the order of the input.
typedef struct {
  // Offset in the input.
  uint32_t offset;
  // Number of bytes: of a string with its escapes replaced, of a number as written.
  uint32_t length;
  // Number of the first token after it and its contents.
  uint32_t end;
  // One of csimdjson_kind.
  uint32_t kind;
  union {
    int64_t integer;
    double number;
    uint8_t *bytes;
  } value;
} csimdjson_token;

// Why an input is not JSON.
enum csimdjson_error {
  CSIMDJSON_SUCCESS = 0,
  // The input breaks the grammar of JSON.
  CSIMDJSON_SYNTAX = 1,
  // The input ends before its value does.
  CSIMDJSON_INCOMPLETE = 2,
  // The input continues after its value.
  CSIMDJSON_TRAILING = 3,
  // A string or name is invalid: an unknown escape, half of a surrogate pair.
  CSIMDJSON_BAD_STRING = 4,
  // A string has a character below U+0020.
  CSIMDJSON_CONTROL_CHARACTER = 5,
  CSIMDJSON_BAD_UTF8 = 6,
  CSIMDJSON_BAD_NUMBER = 7,
  // Arrays and objects are nested deeper than `CSIMDJSON_MAXIMUM_DEPTH`.
  CSIMDJSON_TOO_DEEP = 8,
  // The input has more than the given number of tokens.
  CSIMDJSON_TOO_MANY = 9,
  CSIMDJSON_NO_MEMORY = 10,
  // The input is neither an object nor an array.
  CSIMDJSON_SCALAR = 11
};

// Largest nesting depth of arrays and objects.
#define CSIMDJSON_MAXIMUM_DEPTH 512

// Number of readable bytes after an input.
#define CSIMDJSON_PADDING 64

// Parses inputs one after the other. Used by one thread.
typedef struct csimdjson_parser csimdjson_parser;

// Returns null if there is not enough memory.
csimdjson_parser *csimdjson_create(void);

void csimdjson_destroy(csimdjson_parser *parser);

// Parses `text`, one object or array, into tokens. Strings stay in place, with their escapes replaced, so
// `text` can be parsed only once.
//
// `text` has `length` bytes, followed by CSIMDJSON_PADDING readable bytes, the first of which changes during
// the call. `maximum` is the largest number of tokens.
//
// Returns one of csimdjson_error. On success, `tokens` has `count` tokens, valid until the next call; on
// failure, `offset` is the place of the error, if it is known.
int csimdjson_parse(
    csimdjson_parser *parser, uint8_t *text, size_t length, size_t maximum,
    const csimdjson_token **tokens, size_t *count, size_t *offset);

#ifdef __cplusplus
}
#endif

#endif
