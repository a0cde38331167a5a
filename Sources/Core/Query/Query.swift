public import RealmModel
public import RealmStorage

/// A query in the Realm Query Language, for one class of a schema.
public struct Query: Sendable {
  var resolved: ResolvedQuery
  let schema: ObjectSchema

  /// Parses a query and resolves its names.
  ///
  /// - Parameters:
  ///   - text: the query; untrusted. An empty query matches all objects.
  ///   - name: the name of the class.
  ///   - arguments: the values of `$0`, `$1`, ….
  /// - Throws: ``QueryError`` if the query has an error, or if names or types do not fit the schema.
  public init(
    _ text: String, ofClass name: String, in schema: ObjectSchema, arguments: [QueryArgument] = []
  ) throws(QueryError) {
    try self.init(
      text, ofClassAt: try Query.position(ofClass: name, in: schema), in: schema,
      arguments: arguments)
  }

  /// The same for the class at `position`, whose name need not be valid UTF-8.
  package init(
    _ text: String, ofClassAt position: Int, in schema: ObjectSchema,
    arguments: [QueryArgument] = []
  ) throws(QueryError) {
    self.schema = schema
    guard !text.utf8.allSatisfy(Lexer.isSpace) else {
      resolved = ResolvedQuery(
        classPosition: position, condition: .constant(true), orderings: [], objects: [], bytes: [])
      return
    }
    resolved = try Resolver.resolve(
      try QuerySyntax(parsing: text), ofClass: position, in: schema, arguments: arguments)
  }

  /// Position of the class in the schema.
  public var classPosition: Int { resolved.classPosition }

  /// Whether it finds all objects of the class, by key.
  package var findsAll: Bool {
    if case .constant(true) = resolved.condition { resolved.orderings.isEmpty } else { false }
  }

  static func position(
    ofClass name: String, in schema: ObjectSchema
  ) throws(QueryError) -> Int {
    try Resolver(schema: schema, arguments: [], text: [], base: 0)
      .classPosition(Array(name.utf8), at: 0..<name.utf8.count)
  }

  /// Finds the objects.
  ///
  /// - Parameters:
  ///   - realm: a realm with the schema of the query.
  ///   - jobs: number of threads.
  /// - Throws: `damaged`, with class, property and object if they are known; the errors of an encrypted
  ///   realm; `changedWhileReading`; `unsupported` if the query needs more than about four million values
  ///   for one object, or if the realm has another schema.
  public func run(in realm: Realm, jobs: Int = 1) throws(RealmFileError) -> QueryResult {
    try schema.check(realm)
    return try QueryRun(realm, resolved, jobs: jobs).run()
  }
}

extension ObjectSchema {
  /// - Throws: `unsupported` if `realm` has another schema.
  func check(_ realm: Realm) throws(RealmFileError) {
    let other = realm.schema.objects
    let isSame =
      classes.count == other.classes.count
      && zip(classes, other.classes).allSatisfy { $0 === $1 || ObjectSchema.areSame($0, $1) }
    guard isSame else {
      throw RealmFileError(
        .unsupported("the query was made for another schema than the realm's"))
    }
  }

  private static func areSame(_ a: ObjectClass, _ b: ObjectClass) -> Bool {
    a.name == b.name && a.properties.count == b.properties.count
      && zip(a.properties, b.properties).allSatisfy {
        $0.name == $1.name && $0.type == $1.type && $0.collection == $1.collection
          && $0.target == $1.target && $0.index == $1.index
      }
  }
}

/// A value of `$0`, `$1`, … in a query (chapter 6, section 4.18).
public enum QueryArgument: Sendable, Equatable {
  /// A scalar, null or a link; or a list of them, which acts like `{…}`. `$K0` and a shape for
  /// `GEOWITHIN` take a string with the path or the shape.
  case value(RealmValue)
  /// The key of an object; the other side of the comparison determines its class.
  case objectKey(ObjectKey)
}
