/// The media type of a body, as in the field `Content-Type` (RFC 9110, section 8.3.1).
struct MediaType {
  /// Type and subtype in lower case.
  let name: String
  private let parameters: [Substring]

  init(_ text: String) {
    let parts = text.split(separator: ";", omittingEmptySubsequences: false)
    name = MediaType.trimmed(parts.first ?? "").lowercased()
    parameters = parts.dropFirst().map { MediaType.trimmed($0) }
  }

  /// The value of a parameter without its quotes; nil if it is missing, occurs twice, or has an escape.
  func parameter(_ name: String) -> String? {
    let values = parameters.compactMap { parameter -> Substring? in
      let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return parts.count == 2 && parts[0].lowercased() == name ? parts[1] : nil
    }
    guard values.count == 1, var value = values.first, !value.contains("\\") else { return nil }
    if value.count >= 2, value.first == "\"", value.last == "\"" {
      value = value.dropFirst().dropLast()
    }
    return value.contains("\"") ? nil : String(value)
  }

  static func trimmed(_ text: Substring) -> Substring {
    func isSpace(_ character: Character) -> Bool { character == " " || character == "\t" }
    var text = text.drop(while: isSpace)
    while text.last.map(isSpace) ?? false { text.removeLast() }
    return text
  }
}
