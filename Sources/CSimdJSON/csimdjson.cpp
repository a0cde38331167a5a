#include "csimdjson.h"

// The development checks of simdjson halve its speed.
#define SIMDJSON_DEVELOPMENT_CHECKS 0
#ifndef NDEBUG
#define NDEBUG
#endif
#include <cstring>
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

// Eight times `byte`.
constexpr uint64_t repeated(uint8_t byte) { return 0x0101010101010101u * byte; }

// The high bit of each byte of `word` that is 0, and maybe of bytes after the first one that is.
constexpr uint64_t zero_bytes(uint64_t word) { return (word - repeated(1)) & ~word & repeated(0x80); }

// The first quote or backslash from `start` on, or a place that is not before `limit`. The 8 bytes from `limit` on are
// readable. Most strings are short: this takes half of the time of two calls of memchr.
uint8_t *quote_or_backslash(uint8_t *start, const uint8_t *limit) {
  for (; start < limit; start += 8) {
    uint64_t word;
    memcpy(&word, start, 8);
    uint64_t found = zero_bytes(word ^ repeated('"')) | zero_bytes(word ^ repeated('\\'));
    // The processor is little-endian, like a realm file.
    if (found != 0) return start + __builtin_ctzll(found) / 8;
  }
  return start;
}

int reason(error_code error) {
  switch (error) {
  case SUCCESS: return CSIMDJSON_SUCCESS;
  case EMPTY:
  case UNCLOSED_STRING:
  case INCOMPLETE_ARRAY_OR_OBJECT: return CSIMDJSON_INCOMPLETE;
  case STRING_ERROR: return CSIMDJSON_BAD_STRING;
  case UNESCAPED_CHARS: return CSIMDJSON_CONTROL_CHARACTER;
  case UTF8_ERROR: return CSIMDJSON_BAD_UTF8;
  case DEPTH_ERROR: return CSIMDJSON_TOO_DEEP;
  case NUMBER_ERROR:
  case NUMBER_OUT_OF_RANGE: return CSIMDJSON_BAD_NUMBER;
  case TRAILING_CONTENT: return CSIMDJSON_TRAILING;
  case MEMALLOC:
  case CAPACITY: return CSIMDJSON_NO_MEMORY;
  case SCALAR_DOCUMENT_AS_VALUE: return CSIMDJSON_SCALAR;
  default: return CSIMDJSON_SYNTAX;
  }
}

}  // namespace

struct csimdjson_parser {
  ondemand::parser parser;
  std::vector<csimdjson_token> tokens;
  std::vector<uint8_t> scratch;
  uint8_t *text = nullptr;
  size_t length = 0;
  size_t maximum = 0;
  // Offset of the current value.
  size_t place = 0;

  int parse();

private:
  int add(ondemand::value value, int depth);
  int add_scalar(ondemand::value &value, std::string_view raw);
  int add_string(ondemand::raw_json_string string, uint32_t kind);

  int append(uint32_t kind, size_t offset, size_t count) {
    if (tokens.size() >= maximum) return CSIMDJSON_TOO_MANY;
    csimdjson_token token;
    token.offset = uint32_t(offset);
    token.length = uint32_t(count);
    token.end = uint32_t(tokens.size() + 1);
    token.kind = kind;
    token.value.integer = 0;
    tokens.push_back(token);
    return CSIMDJSON_SUCCESS;
  }

  size_t offset(const char *position) const { return size_t((const uint8_t *)position - text); }
};

int csimdjson_parser::parse() {
  ondemand::document document;
  auto error = parser.iterate((const char *)text, length, length + CSIMDJSON_PADDING).get(document);
  if (error) return reason(error);
  ondemand::value root;
  if ((error = document.get_value().get(root))) return reason(error);
  int result = add(root, 1);
  if (result) {
    const char *location;
    // The parser may be past the wrong value, never before it.
    if (result == CSIMDJSON_SYNTAX && !document.current_location().get(location) &&
        offset(location) < length && offset(location) > place)
      place = offset(location);
    return result;
  }
  const char *location;
  if (document.current_location().get(location) != OUT_OF_BOUNDS) {
    place = offset(location);
    return CSIMDJSON_TRAILING;
  }
  return CSIMDJSON_SUCCESS;
}

int csimdjson_parser::add(ondemand::value value, int depth) {
  std::string_view raw = value.raw_json_token();
  place = offset(raw.data());
  if (raw.empty()) return CSIMDJSON_SYNTAX;
  char first = raw.front();
  if (first != '[' && first != '{') return add_scalar(value, raw);
  if (depth > CSIMDJSON_MAXIMUM_DEPTH) return CSIMDJSON_TOO_DEEP;

  size_t number = tokens.size();
  int result = append(first == '[' ? CSIMDJSON_ARRAY : CSIMDJSON_OBJECT, place, 1);
  if (result) return result;
  int64_t count = 0;
  error_code error;
  if (first == '[') {
    ondemand::array array;
    if ((error = value.get_array().get(array))) return reason(error);
    for (auto item : array) {
      ondemand::value element;
      if ((error = std::move(item).get(element))) return reason(error);
      if ((result = add(element, depth + 1))) return result;
      count++;
    }
  } else {
    ondemand::object object;
    if ((error = value.get_object().get(object))) return reason(error);
    for (auto item : object) {
      ondemand::field field;
      if ((error = std::move(item).get(field))) return reason(error);
      if ((result = add_string(field.key(), CSIMDJSON_NAME))) return result;
      if ((result = add(field.value(), depth + 1))) return result;
      count++;
    }
  }
  tokens[number].value.integer = count;
  tokens[number].end = uint32_t(tokens.size());
  return CSIMDJSON_SUCCESS;
}

int csimdjson_parser::add_scalar(ondemand::value &value, std::string_view raw) {
  while (is_space(raw.back())) raw.remove_suffix(1);
  char first = raw.front();
  if (first == '"') {
    ondemand::raw_json_string string;
    if (value.get_raw_json_string().get(string)) return CSIMDJSON_SYNTAX;
    return add_string(string, CSIMDJSON_STRING);
  }
  if (first == '-' || (first >= '0' && first <= '9')) {
    bool is_integer = false;
    if (!is_number(raw, is_integer)) return CSIMDJSON_BAD_NUMBER;
    int result = append(CSIMDJSON_LARGE_NUMBER, place, raw.size());
    if (result) return result;
    csimdjson_token &token = tokens.back();
    if (is_integer) {
      if (!value.get_int64().get(token.value.integer)) {
        token.kind = CSIMDJSON_INTEGER;
        return CSIMDJSON_SUCCESS;
      }
    } else if (!value.get_double().get(token.value.number)) {
      token.kind = CSIMDJSON_DOUBLE;
      return CSIMDJSON_SUCCESS;
    }
    // The enclosing array or object skips a value that is not converted.
    return CSIMDJSON_SUCCESS;
  }
  uint32_t kind;
  if (raw == "null") {
    kind = CSIMDJSON_NULL;
    bool is_null;
    if (value.is_null().get(is_null) || !is_null) return CSIMDJSON_SYNTAX;
  } else {
    bool flag;
    if (value.get_bool().get(flag)) return CSIMDJSON_SYNTAX;
    kind = flag ? CSIMDJSON_TRUE : CSIMDJSON_FALSE;
    if (raw != (flag ? "true" : "false")) return CSIMDJSON_SYNTAX;
  }
  return append(kind, place, raw.size());
}

int csimdjson_parser::add_string(ondemand::raw_json_string string, uint32_t kind) {
  uint8_t *start = (uint8_t *)string.raw();
  size_t begin = size_t(start - text);
  place = begin - 1;
  const uint8_t *limit = text + length;
  uint8_t *end = quote_or_backslash(start, limit);
  bool is_escaped = false;
  // The first stage has checked that every string is closed.
  while (end < limit && *end == '\\') {
    is_escaped = true;
    end = quote_or_backslash(end + 2, limit);
  }
  if (end >= limit) return CSIMDJSON_INCOMPLETE;
  size_t count = size_t(end - start);
  if (is_escaped) {
    size_t room = size_t(end - start) + SIMDJSON_PADDING;
    if (scratch.size() < room) scratch.resize(room);
    uint8_t *target = scratch.data();
    std::string_view unescaped;
    if (parser.unescape(string, target).get(unescaped)) return CSIMDJSON_BAD_STRING;
    // An escape is longer than its character, so the result fits.
    memcpy(start, unescaped.data(), unescaped.size());
    count = unescaped.size();
  }
  int result = append(kind, place, count);
  if (!result) tokens.back().value.bytes = start;
  return result;
}

csimdjson_parser *csimdjson_create(void) { return new (std::nothrow) csimdjson_parser(); }

void csimdjson_destroy(csimdjson_parser *parser) { delete parser; }

int csimdjson_parse(
    csimdjson_parser *parser, uint8_t *text, size_t length, size_t maximum,
    const csimdjson_token **tokens, size_t *count, size_t *offset) {
  parser->text = text;
  parser->length = length;
  parser->maximum = maximum;
  parser->place = 0;
  parser->tokens.clear();
  // If the input is not closed, the parser reads the byte after it, and a zero stops it there.
  uint8_t behind = text[length];
  text[length] = 0;
  int result;
  try {
    result = parser->parse();
  } catch (const std::bad_alloc &) {
    result = CSIMDJSON_NO_MEMORY;
  }
  text[length] = behind;
  *tokens = parser->tokens.data();
  *count = parser->tokens.size();
  *offset = parser->place;
  return result;
}
