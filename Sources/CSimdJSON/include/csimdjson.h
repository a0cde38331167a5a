#ifndef REALM_CLI_CSIMDJSON_H
#define REALM_CLI_CSIMDJSON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// What a token is.
enum csimdjson_kind {
  CSIMDJSON_NULL = 0,
  CSIMDJSON_FALSE = 1,
  CSIMDJSON_TRUE = 2,
  // A number without fraction and exponent that fits 64 bits with sign: `integer`.
  CSIMDJSON_INTEGER = 3,
  // A number with a fraction or an exponent: `number`, the nearest double.
  CSIMDJSON_DOUBLE = 4,
  // A number that is too large for either. Its text says which.
  CSIMDJSON_LARGE_NUMBER = 5,
  // `bytes`: the string after its escapes are replaced, `length` bytes.
  CSIMDJSON_STRING = 6,
  // The name of a member, as a string; its value is the next token.
  CSIMDJSON_NAME = 7,
  // `integer`: the number of elements. They follow.
  CSIMDJSON_ARRAY = 8,
  // `integer`: the number of members. They follow, a name and a value each.
  CSIMDJSON_OBJECT = 9
};

// A value or a name of a text, in the order of the text.
typedef struct {
  // Where it starts in the text.
  uint32_t offset;
  // Bytes of the value: of a string after its escapes are replaced, of a number as written.
  uint32_t length;
  // Number of the token behind it and all that it contains.
  uint32_t end;
  // One of csimdjson_kind.
  uint32_t kind;
  union {
    int64_t integer;
    double number;
    uint8_t *bytes;
  } value;
} csimdjson_token;

// Why a text is not JSON.
enum csimdjson_error {
  CSIMDJSON_SUCCESS = 0,
  // The text breaks the grammar of JSON.
  CSIMDJSON_SYNTAX = 1,
  // The text ends before its value does.
  CSIMDJSON_INCOMPLETE = 2,
  // The text goes on behind its value.
  CSIMDJSON_TRAILING = 3,
  // A string or name is not valid: an unknown escape, half of a surrogate pair.
  CSIMDJSON_BAD_STRING = 4,
  // A character below U+0020 stands in a string.
  CSIMDJSON_CONTROL_CHARACTER = 5,
  CSIMDJSON_BAD_UTF8 = 6,
  CSIMDJSON_BAD_NUMBER = 7,
  // Arrays and objects are nested deeper than `CSIMDJSON_MAXIMUM_DEPTH`.
  CSIMDJSON_TOO_DEEP = 8,
  // The text has more than the given number of tokens.
  CSIMDJSON_TOO_MANY = 9,
  CSIMDJSON_NO_MEMORY = 10,
  // The text is neither an object nor an array.
  CSIMDJSON_SCALAR = 11
};

// Levels of arrays and objects.
#define CSIMDJSON_MAXIMUM_DEPTH 512

// Bytes behind a text that must be readable.
#define CSIMDJSON_PADDING 64

// Parses texts one after another. Belongs to one thread.
typedef struct csimdjson_parser csimdjson_parser;

// Returns null where there is no memory.
csimdjson_parser *csimdjson_create(void);

void csimdjson_destroy(csimdjson_parser *parser);

// Parses `text`, one object or array, into tokens. Strings stay where they are, with their escapes
// replaced there: the text is good for one call.
//
// `text` has `length` bytes, and CSIMDJSON_PADDING more that are readable; the first of them is changed during
// the call. `maximum` is the largest number of
// tokens.
//
// Returns one of csimdjson_error. On success, `tokens` has `count` tokens, good until the next call; on
// failure, `offset` says where the text is wrong, as far as that is known.
int csimdjson_parse(
    csimdjson_parser *parser, uint8_t *text, size_t length, size_t maximum,
    const csimdjson_token **tokens, size_t *count, size_t *offset);

#ifdef __cplusplus
}
#endif

#endif
