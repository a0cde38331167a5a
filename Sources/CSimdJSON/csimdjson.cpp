#include "csimdjson.h"

// Its checks of how it is called are for programs under development, and cost half of its speed.
#define SIMDJSON_DEVELOPMENT_CHECKS 0
#ifndef NDEBUG
#define NDEBUG
#endif
#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <simdjson.h>
#include <string_view>
#include <vector>

using namespace simdjson;

namespace {

bool is_space(char byte) {
  return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

// Whether `text` is a number by the grammar of JSON; `is_integer` if it has neither fraction nor exponent.
bool is_number(std::string_view text, bool &is_integer) {
  size_t position = 0;
  auto digits = [&] {
    size_t start = position;
    while (position < text.size() && text[position] >= '0' && text[position] <= '9') position++;
    return position - start;
  };
  if (position < text.size() && text[position] == '-') position++;
  size_t first = position;
  size_t whole = digits();
  if (whole == 0 || (whole > 1 && text[first] == '0')) return false;
  is_integer = true;
  if (position < text.size() && text[position] == '.') {
    is_integer = false;
    position++;
    if (digits() == 0) return false;
  }
  if (position < text.size() && (text[position] == 'e' || text[position] == 'E')) {
    is_integer = false;
    position++;
    if (position < text.size() && (text[position] == '+' || text[position] == '-')) position++;
    if (digits() == 0) return false;
  }
  return position == text.size();
}

// Why the library does not take a text.
int reason(error_code error) {
  switch (error) {
  case EMPTY:
  case UNCLOSED_STRING: return CSIMDJSON_INCOMPLETE;
  case UNESCAPED_CHARS: return CSIMDJSON_CONTROL_CHARACTER;
  case UTF8_ERROR: return CSIMDJSON_BAD_UTF8;
  case MEMALLOC:
  case CAPACITY: return CSIMDJSON_NO_MEMORY;
  default: return CSIMDJSON_SYNTAX;
  }
}

}  // namespace

// The library finds where values begin (its first stage, which also checks UTF-8 and that strings are closed), and
// converts escapes and doubles. The walk over these places is ours: the library's own ways to read a value either copy
// all strings, or do not tell where a value is in the text.
struct csimdjson_parser {
  std::unique_ptr<csimdjson_token[]> tokens;
  // Number of tokens, of those that the value at hand may have, and of those that there is memory for.
  size_t count = 0;
  size_t limit = 0;
  size_t room = 0;
  uint8_t *text = nullptr;
  size_t length = 0;
  // Where the value at hand starts.
  size_t place = 0;

  int parse(size_t maximum);

private:
  struct level {
    // Number of the token, and of its elements or members so far.
    size_t token;
    int64_t count;
  };

  std::unique_ptr<internal::dom_parser_implementation> stage;
  // Used for its replacement of escapes.
  ondemand::parser unescaper;
  std::vector<uint8_t> scratch;
  level levels[CSIMDJSON_MAXIMUM_DEPTH];
  // Where values, commas, colons and brackets start.
  const uint32_t *starts = nullptr;
  size_t start_count = 0;
  bool has_backslash = false;

  error_code find_starts();
  bool make_room(size_t wanted);
  int walk();
  int add_scalar(size_t position);
  int add_number(const uint8_t *start, const uint8_t *end);
  int add_string(size_t position, uint32_t kind);
  int unescape(uint8_t *start, size_t &size);

  csimdjson_token *append(uint32_t kind, size_t offset, size_t size) {
    if (count == limit) return nullptr;
    csimdjson_token *token = &tokens[count];
    count++;
    token->offset = uint32_t(offset);
    token->length = uint32_t(size);
    token->end = uint32_t(count);
    token->kind = kind;
    token->value.integer = 0;
    return token;
  }

  // The end of what starts at `position`, without the white space behind it.
  size_t end(size_t position) const {
    size_t end = position + 1 < start_count ? starts[position + 1] : length;
    while (end > starts[position] + 1 && is_space(char(text[end - 1]))) end--;
    return end;
  }

  bool is_closed() const {
    return text[starts[start_count - 1]] == (text[starts[0]] == '{' ? '}' : ']');
  }
};

int csimdjson_parser::parse(size_t maximum) {
  error_code error = find_starts();
  if (error) return reason(error);
  // Each token begins at a place of its own.
  limit = std::min(start_count, maximum);
  if (!make_room(limit)) return CSIMDJSON_NO_MEMORY;
  has_backslash = memchr(text, '\\', length) != nullptr;
  int result = walk();
  // Of a text that is cut off, the last value is often wrong, too.
  if ((result == CSIMDJSON_SYNTAX || result == CSIMDJSON_BAD_NUMBER) && !is_closed())
    return CSIMDJSON_INCOMPLETE;
  return result;
}

error_code csimdjson_parser::find_starts() {
  if (!stage || stage->capacity() < length) {
    size_t capacity = std::max({length, stage ? 2 * stage->capacity() : 0, size_t(4096)});
    error_code error =
        stage ? stage->set_capacity(capacity)
              : get_active_implementation()->create_dom_parser_implementation(
                    capacity, CSIMDJSON_MAXIMUM_DEPTH, stage);
    if (error) return error;
  }
  error_code error = stage->stage1(text, length, stage1_mode::regular);
  if (error) return error;
  starts = stage->structural_indexes.get();
  start_count = stage->n_structural_indexes;
  return start_count == 0 ? EMPTY : SUCCESS;
}

bool csimdjson_parser::make_room(size_t wanted) {
  if (wanted <= room) return true;
  size_t size = std::max(wanted, 2 * room);
  tokens.reset(new (std::nothrow) csimdjson_token[size]);
  room = tokens ? size : 0;
  return tokens != nullptr;
}

inline int csimdjson_parser::add_string(size_t position, uint32_t kind) {
  uint8_t *start = text + place + 1;
  // Only white space is between the quote that closes a string and what starts next.
  uint8_t *quote = text + end(position) - 1;
  if (quote < start || *quote != '"') return CSIMDJSON_INCOMPLETE;
  size_t size = size_t(quote - start);
  if (has_backslash && memchr(start, '\\', size) != nullptr) {
    int result = unescape(start, size);
    if (result) return result;
  }
  csimdjson_token *token = append(kind, place, size);
  if (token == nullptr) return CSIMDJSON_TOO_MANY;
  token->value.bytes = start;
  return CSIMDJSON_SUCCESS;
}

int csimdjson_parser::walk() {
  size_t position = 0;
  size_t depth = 0;
  int result;
  uint8_t first = text[starts[0]];
  place = starts[0];
  if (first != '{' && first != '[') return CSIMDJSON_SCALAR;

  // Goes on to the next place, which must be there, and sets `first` and `place`.
  auto advance = [&] {
    position++;
    if (position == start_count) return false;
    place = starts[position];
    first = text[place];
    return true;
  };

  while (true) {
    // `first` begins a value.
    if (first == '{' || first == '[') {
      if (depth == CSIMDJSON_MAXIMUM_DEPTH) return CSIMDJSON_TOO_DEEP;
      levels[depth] = {count, 0};
      depth++;
      if (!append(first == '[' ? CSIMDJSON_ARRAY : CSIMDJSON_OBJECT, place, 1)) return CSIMDJSON_TOO_MANY;
      uint8_t closing = first == '[' ? ']' : '}';
      if (!advance()) return CSIMDJSON_INCOMPLETE;
      if (first != closing) goto element;
    } else {
      if ((result = first == '"' ? add_string(position, CSIMDJSON_STRING) : add_scalar(position)))
        return result;
      levels[depth - 1].count++;
      if (!advance()) return CSIMDJSON_INCOMPLETE;
    }

    // A comma or a closing bracket comes next.
    while (true) {
      level &open = levels[depth - 1];
      csimdjson_token &token = tokens[open.token];
      if (first == ',') {
        if (!advance()) return CSIMDJSON_INCOMPLETE;
        break;
      }
      if (first != (token.kind == CSIMDJSON_ARRAY ? ']' : '}')) return CSIMDJSON_SYNTAX;
      token.value.integer = open.count;
      token.end = uint32_t(count);
      depth--;
      if (depth == 0) return advance() ? CSIMDJSON_TRAILING : CSIMDJSON_SUCCESS;
      levels[depth - 1].count++;
      if (!advance()) return CSIMDJSON_INCOMPLETE;
    }

  element:
    if (tokens[levels[depth - 1].token].kind == CSIMDJSON_ARRAY) continue;
    if (first != '"') return CSIMDJSON_SYNTAX;
    if ((result = add_string(position, CSIMDJSON_NAME))) return result;
    if (!advance()) return CSIMDJSON_INCOMPLETE;
    if (first != ':') return CSIMDJSON_SYNTAX;
    if (!advance()) return CSIMDJSON_INCOMPLETE;
  }
}

int csimdjson_parser::add_scalar(size_t position) {
  const uint8_t *start = text + place;
  std::string_view raw((const char *)start, end(position) - place);
  if (*start == '-' || (*start >= '0' && *start <= '9')) return add_number(start, start + raw.size());
  uint32_t kind;
  if (raw == "null") {
    kind = CSIMDJSON_NULL;
  } else if (raw == "true") {
    kind = CSIMDJSON_TRUE;
  } else if (raw == "false") {
    kind = CSIMDJSON_FALSE;
  } else {
    return CSIMDJSON_SYNTAX;
  }
  return append(kind, place, raw.size()) ? CSIMDJSON_SUCCESS : CSIMDJSON_TOO_MANY;
}

int csimdjson_parser::add_number(const uint8_t *start, const uint8_t *end) {
  bool is_integer = false;
  if (!is_number(std::string_view((const char *)start, size_t(end - start)), is_integer))
    return CSIMDJSON_BAD_NUMBER;
  csimdjson_token *token = append(CSIMDJSON_LARGE_NUMBER, place, size_t(end - start));
  if (token == nullptr) return CSIMDJSON_TOO_MANY;
  if (!is_integer) {
    if (!builtin::numberparsing::parse_double(start).get(token->value.number))
      token->kind = CSIMDJSON_DOUBLE;
    return CSIMDJSON_SUCCESS;
  }
  bool is_negative = *start == '-';
  const uint8_t *digits = start + is_negative;
  // A number of 19 digits is below 2^64; one of 20 is above 2^63, as the first digit is not 0.
  if (end - digits > 19) return CSIMDJSON_SUCCESS;
  uint64_t value = 0;
  for (; digits < end; digits++) value = value * 10 + (*digits - '0');
  if (value > uint64_t(std::numeric_limits<int64_t>::max()) + is_negative) return CSIMDJSON_SUCCESS;
  token->value.integer = int64_t(is_negative ? 0 - value : value);
  token->kind = CSIMDJSON_INTEGER;
  return CSIMDJSON_SUCCESS;
}

// Replaces the escapes of the string at `start`, whose bytes are `size`.
int csimdjson_parser::unescape(uint8_t *start, size_t &size) {
  if (unescaper.capacity() == 0 && unescaper.allocate(SIMDJSON_PADDING)) return CSIMDJSON_NO_MEMORY;
  size_t wanted = size + SIMDJSON_PADDING;
  if (scratch.size() < wanted) scratch.resize(wanted);
  uint8_t *target = scratch.data();
  std::string_view unescaped;
  if (unescaper.unescape(ondemand::raw_json_string(start), target).get(unescaped))
    return CSIMDJSON_BAD_STRING;
  // An escape is longer than what it stands for.
  memcpy(start, unescaped.data(), unescaped.size());
  size = unescaped.size();
  return CSIMDJSON_SUCCESS;
}

csimdjson_parser *csimdjson_create(void) { return new (std::nothrow) csimdjson_parser(); }

void csimdjson_destroy(csimdjson_parser *parser) { delete parser; }

int csimdjson_parse(
    csimdjson_parser *parser, uint8_t *text, size_t length, size_t maximum,
    const csimdjson_token **tokens, size_t *count, size_t *offset) {
  parser->text = text;
  parser->length = length;
  parser->place = 0;
  parser->count = 0;
  // A number that ends the text must not go on with what is behind it.
  uint8_t behind = text[length];
  text[length] = 0;
  int result;
  try {
    result = parser->parse(maximum);
  } catch (const std::bad_alloc &) {
    result = CSIMDJSON_NO_MEMORY;
  }
  text[length] = behind;
  *tokens = parser->tokens.get();
  *count = parser->count;
  *offset = parser->place;
  return result;
}
