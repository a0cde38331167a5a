import RealmStorage

/// The fields of a form in their order. Names can occur several times.
///
/// It accepts less than it may: what browsers and `curl` send, and nothing that has two readings.
package struct FormFields: Equatable, Sendable {
  package struct Field: Equatable, Sendable {
    package let name: String
    /// UTF-8, unless the field is a file.
    package let bytes: ArraySlice<UInt8>
    /// The name of a file as the client gives it; nil if the field is a text. It is empty if no file was chosen.
    package let fileName: String?

    init(_ name: String, _ bytes: ArraySlice<UInt8>, fileName: String? = nil) {
      (self.name, self.bytes, self.fileName) = (name, bytes, fileName)
    }
  }

  package private(set) var fields: [Field] = []

  private static let encodedType = "application/x-www-form-urlencoded"
  static let multipartType = "multipart/form-data"
  /// The media types of forms.
  static let mediaTypes: Set<String> = [encodedType, multipartType]

  /// Maximum number of fields.
  package static let countLimit = 10_000

  /// - Parameters:
  ///   - contentType: the field `Content-Type` of the request.
  ///   - body: the body of the request.
  /// - Returns: nil if the media type is not one of forms.
  /// - Throws: ``HTTPError`` for a body that is not such a form.
  package init?(contentType: String, body: [UInt8]) throws(HTTPError) {
    let type = MediaType(contentType)
    switch type.name {
    case FormFields.encodedType: try readURLEncoded(body[...])
    case FormFields.multipartType:
      var reader = try MultipartReader(body, boundary: type.parameter("boundary"))
      while let field = try reader.next() { try append(field) }
    default: return nil
    }
  }

  private mutating func readURLEncoded(_ body: ArraySlice<UInt8>) throws(HTTPError) {
    // Without a limit, the slices could take many times the memory of the body.
    let items = body.split(separator: UInt8(ascii: "&"), maxSplits: FormFields.countLimit)
    for item in items {
      let end = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
      guard let name = PercentEncoding.decode(item[..<end], plusIsSpace: true),
        let value = PercentEncoding.decode(item[end...].dropFirst(), plusIsSpace: true)
      else { throw HTTPError(400, "the form is not encoded correctly") }
      try append(Field(try FormFields.text(name[...], "the name of a field"), value[...]))
    }
  }

  private mutating func append(_ field: Field) throws(HTTPError) {
    guard fields.count < FormFields.countLimit else {
      throw HTTPError(400, "the form has more than \(FormFields.countLimit) fields")
    }
    if field.fileName == nil {
      _ = try FormFields.text(field.bytes, "the field \(field.name.printable)")
    }
    fields.append(field)
  }

  static func text(_ bytes: ArraySlice<UInt8>, _ what: String) throws(HTTPError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw HTTPError(400, "\(what) is not UTF-8")
    }
    return text
  }

  /// The first value of `name`, also if it is empty; nil if there is none.
  package subscript(name: String) -> String? {
    bytes(name).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The bytes of the first value of `name`; nil if there is none.
  package func bytes(_ name: String) -> ArraySlice<UInt8>? {
    fields.first { $0.name == name }?.bytes
  }

  /// All values of `name`.
  package func all(_ name: String) -> [String] {
    fields.filter { $0.name == name }.map { String(decoding: $0.bytes, as: UTF8.self) }
  }
}
