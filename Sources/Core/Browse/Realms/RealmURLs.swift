import RealmModel
import RealmStorage

/// The URLs of the pages of a realm. A realm is addressed by its number on the command line, a class by its name, an
/// object by its key.
struct RealmURLs: Sendable {
  /// Position of the realm.
  let number: Int
  let version: Snapshot.Version

  /// The page with this name; the empty name is the page of the realm itself.
  func page(_ name: String, _ query: URLQuery = URLQuery()) -> String {
    url([name], query)
  }

  /// A page about what is not saved yet.
  func edited(_ parts: String..., query: URLQuery = URLQuery()) -> String {
    url(["draft"] + parts, query)
  }

  /// The table of a class.
  func objects(of objectClass: ClassAddress, _ query: URLQuery = URLQuery()) -> String {
    url(["class", objectClass.part, ""], query)
  }

  /// The whole result of a query in a format of files.
  func download(
    of objectClass: ClassAddress, _ format: String, _ query: URLQuery
  ) -> String {
    url(["class", objectClass.part, "objects.\(format)"], query)
  }

  /// The page of an object.
  func object(
    _ key: ObjectKey, of objectClass: ClassAddress, _ query: URLQuery = URLQuery()
  ) -> String {
    url(["class", objectClass.part, "\(key.raw)"], query)
  }

  /// A page about the draft, or what changes are posted to; the empty name is the review.
  func draft(_ name: String = "") -> String {
    url(name.isEmpty ? ["draft"] : ["draft", name], URLQuery())
  }

  /// A page behind that of a class, or of an object.
  func page(
    of objectClass: ClassAddress, _ parts: String..., query: URLQuery = URLQuery()
  ) -> String {
    url(["class", objectClass.part] + parts, query)
  }

  /// The bytes of a value of an object.
  func value(at path: ValuePath, of key: ObjectKey, _ objectClass: ClassAddress) -> String {
    url(["class", objectClass.part, "\(key.raw)", "value"], URLQuery([("at", path.text)]))
  }

  private func url(_ parts: [String], _ query: URLQuery) -> String {
    let query =
      switch version {
      case .latest: query.without("version").encoded
      case .previous: query.with("version", "previous").encoded
      }
    return "/\(number)/" + parts.map { PercentEncoding.encode($0) }.joined(separator: "/")
      + (query.isEmpty ? "" : "?" + query)
  }
}

/// How URLs name a class: by its name, or by its position where a browser would change the name, or where two
/// classes could have the same one.
struct ClassAddress: Equatable, Sendable {
  let part: String

  init(_ position: Int, in schema: ObjectSchema) {
    let name = schema.classes[position].name
    let isPlain = name.isValid && !["", ".", ".."].contains(name.text) && !name.text.hasPrefix("@")
    part = isPlain ? name.text : "@\(position)"
  }

  /// The position of the class of the app with this address; nil if there is none.
  static func position(of part: String, in schema: ObjectSchema) -> Int? {
    schema.appClasses.first {
      ClassAddress($0, in: schema).part.utf8.elementsEqual(part.utf8)
    }
  }
}

extension ClassAddress {
  /// The address of the class of the app with this name; nil if there is none.
  init?(_ name: String, in schema: ObjectSchema) {
    guard
      let position = schema.appClasses.first(where: {
        schema.classes[$0].name.text.utf8.elementsEqual(name.utf8)
      })
    else { return nil }
    self.init(position, in: schema)
  }
}
