import RealmBrowse
import RealmInterchange
import RealmModel

/// Reads a request with its body; the fields of a form, and lines of a patch, must survive being written and read again.
struct Requests {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func run() throws {
    // The server looks no further for the end of a head.
    let start = Array(bytes.prefix(HTTPHead.byteLimit))
    guard let count = HTTPHead.byteCount(of: start, from: 0) else { return }
    var request: HTTPRequest
    do throws(HTTPError) {
      request = try HTTPHead.parse(bytes[..<count])
      // The server passes on as many bytes as the head announces.
      try request.take(body: Array(bytes[count...]))
    } catch {
      guard 400...599 ~= error.status, !error.message.isEmpty, !error.message.contains("\n") else {
        throw FuzzFailure("an error is not one of requests: \(error)")
      }
      return
    }
    if request.mediaType == "application/x-ndjson" { return try Requests.checkLines(request.body) }
    guard let form = request.form else { return }
    guard form.fields.count <= FormFields.countLimit else {
      throw FuzzFailure("the form has \(form.fields.count) fields")
    }
    for field in form.fields where field.fileName == nil {
      guard String(validating: field.bytes, as: UTF8.self) != nil else {
        throw FuzzFailure("the field \(field.name) is not UTF-8")
      }
    }
    if form.fields.allSatisfy({ Requests.canHold($0.name) && Requests.canHold($0.fileName ?? "") })
    {
      let type = "multipart/form-data; boundary=\(Requests.boundary)"
      try check(form, type, Requests.multipart(form))
    }
    guard !form.fields.contains(where: { $0.fileName != nil }) else { return }
    try check(form, "application/x-www-form-urlencoded", Requests.urlEncoded(form))
  }

  /// A class with a property of each form of value, and an embedded class in it.
  private static let schema: ObjectSchema = {
    func property(
      _ name: String, _ type: PropertyType, isOptional: Bool = true,
      _ collection: CollectionKind? = nil, target: Int? = nil
    ) -> Property {
      Property(
        name: Name(name), type: type, isOptional: isOptional, collection: collection, target: target
      )
    }
    let part = ObjectClass(
      name: Name("Part"), kind: .embedded,
      properties: [property("n", .int), property("deeper", .link, target: 1)])
    let whole = ObjectClass(
      name: Name("A"),
      properties: [
        property("_id", .string), property("i", .int), property("d", .double),
        property("t", .timestamp), property("m", .mixed), property("l", .mixed, .list),
        property("s", .string, .set), property("k", .decimal, .dictionary),
        property("part", .link, target: 1), property("link", .link, target: 0),
      ], primaryKey: 0)
    return ObjectSchema(classes: [whole, part])
  }()

  private static func checkLines(_ body: [UInt8]) throws {
    let values = PatchValues(schema)
    let lines: [PatchLine]
    do throws(ImportError) {
      lines = try values.lines(body)
    } catch {
      guard !error.description.isEmpty else { throw FuzzFailure("an error has no words") }
      return
    }
    let first = text(lines)
    let again = text(try values.lines(first))
    guard again == first else {
      throw FuzzFailure("the lines of a patch change when they are written and read again")
    }
  }

  private static func text(_ lines: [PatchLine]) -> [UInt8] {
    let context = RealmJSONValueText.Context(
      schema: schema, classNames: schema.classes.map(\.name))
    var text = RealmJSONValueText()
    for line in lines { text.append(line, context) }
    return text.take()
  }

  private func check(_ form: FormFields, _ type: String, _ body: [UInt8]) throws {
    let again = try? FormFields(contentType: type, body: body)
    guard again == form else {
      throw FuzzFailure("the fields change when they are written as \(type)")
    }
  }

  private static func urlEncoded(_ form: FormFields) -> [UInt8] {
    let query = URLQuery(
      form.fields.map { ($0.name, String(decoding: $0.bytes, as: UTF8.self)) })
    return Array(query.encoded.utf8)
  }

  /// A boundary that no input has by accident.
  private static let boundary = "b0undary-7f3a9c51e2d84b60"

  /// Whether a multipart form can have this name: it has no escape for a percent sign, and the head of a part has a limit.
  private static func canHold(_ name: String) -> Bool {
    let scalars = Array(name.unicodeScalars)
    return name.utf8.count < 1000
      && !["%22", "%0D", "%0A"].contains { escape in
        scalars.indices.contains { scalars[$0...].starts(with: escape.unicodeScalars) }
      }
  }

  private static func multipart(_ form: FormFields) -> [UInt8] {
    func escaped(_ name: String) -> String {
      name.unicodeScalars.map { scalar in
        switch scalar {
        case "\"": "%22"
        case "\r": "%0D"
        case "\n": "%0A"
        default: String(scalar)
        }
      }.joined()
    }
    var body: [UInt8] = []
    for field in form.fields {
      let fileName = field.fileName.map { "; filename=\"\(escaped($0))\"" } ?? ""
      body +=
        "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(escaped(field.name))\"\(fileName)\r\n\r\n"
        .utf8
      body += field.bytes
      body += "\r\n".utf8
    }
    return body + "--\(boundary)--".utf8
  }
}
