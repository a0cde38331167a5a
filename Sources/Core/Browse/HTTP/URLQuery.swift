/// The names and values after the question mark of a URL, in their order. Names can occur several times.
package struct URLQuery: Equatable, Sendable {
  package private(set) var items: [(name: String, value: String)] = []

  package init() {}

  package init(_ items: [(name: String, value: String)]) { self.items = items }

  /// Nil if `text` is not encoded correctly, or does not decode to UTF-8.
  package init?(encoded text: String) {
    for item in text.split(separator: "&") {
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = PercentEncoding.decode(String(parts[0]), plusIsSpace: true),
        let value = PercentEncoding.decode(
          parts.count > 1 ? String(parts[1]) : "", plusIsSpace: true)
      else { return nil }
      items.append((name, value))
    }
  }

  package static func == (a: URLQuery, b: URLQuery) -> Bool {
    a.items.elementsEqual(b.items, by: ==)
  }

  /// The first value of `name`; nil if there is none, or if it is empty, as in a form that was not filled in.
  package subscript(name: String) -> String? {
    items.first { $0.name == name && !$0.value.isEmpty }?.value
  }

  /// All values of `name`.
  package func all(_ name: String) -> [String] {
    items.compactMap { $0.name == name && !$0.value.isEmpty ? $0.value : nil }
  }

  /// No position is as large, and adding to it cannot overflow.
  private static let numberLimit = 1 << 48

  /// The value of `name` as a number from 0 to 2⁴⁸; nil for anything else.
  package func number(_ name: String) -> Int? {
    self[name].flatMap { Int($0) }.flatMap { 0...URLQuery.numberLimit ~= $0 ? $0 : nil }
  }

  /// The same query with `values` as all values of `name`.
  package func with(_ name: String, _ values: [String]) -> URLQuery {
    URLQuery(items.filter { $0.name != name } + values.map { (name, $0) })
  }

  /// The same query with `value` as the only value of `name`; without the name if it is nil.
  package func with(_ name: String, _ value: String?) -> URLQuery {
    with(name, value.map { [$0] } ?? [])
  }

  /// The same query without these names.
  package func without(_ names: String...) -> URLQuery {
    URLQuery(items.filter { !names.contains($0.name) })
  }

  package var encoded: String {
    items.map { PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value) }
      .joined(separator: "&")
  }
}

/// The encoding of text in URLs.
package enum PercentEncoding {
  private static let digits = Array("0123456789ABCDEF".utf8)

  /// `text` with everything encoded that is not a letter, a digit or one of `-._~`.
  package static func encode(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        bytes.append(byte)
      default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The text that is encoded in `text`; nil if a percent sign has no two digits, or if the result is not UTF-8.
  package static func decode(_ text: String, plusIsSpace: Bool) -> String? {
    decode(Array(text.utf8)[...], plusIsSpace: plusIsSpace)
      .flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// The bytes that are encoded in `bytes`; nil if a percent sign has no two digits.
  static func decode(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool) -> [UInt8]? {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var i = bytes.startIndex
    while i < bytes.endIndex {
      let byte = bytes[i]
      i += 1
      switch byte {
      case UInt8(ascii: "%"):
        guard bytes.endIndex - i >= 2, let high = hexValue(bytes[i]),
          let low = hexValue(bytes[i + 1])
        else { return nil }
        decoded.append(high << 4 | low)
        i += 2
      case UInt8(ascii: "+") where plusIsSpace: decoded.append(UInt8(ascii: " "))
      default: decoded.append(byte)
      }
    }
    return decoded
  }

  private static func hexValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
