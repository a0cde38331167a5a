import RealmModel

/// Key paths (chapter 6, section 4.3).
extension Resolver {
  /// A path with what the rest of the query needs to know of it.
  struct ResolvedPath {
    var path: KeyPath
    var type: ValueType
    /// True if the path passes or ends in a collection: a quantifier is allowed.
    var passesCollection = false
    /// True if the path ends in a stored collection, or passes one without picking an element.
    var isMultiple = false
    /// True if the values are compared as a sequence.
    var isSequence = false
    /// True if the path ends in an entry of a dictionary.
    var isDictionaryEntry = false
    /// The last property, for messages.
    var property: Property?
  }

  mutating func path(_ syntax: PathSyntax) throws(QueryError) -> ResolvedPath {
    var walk = PathWalk(resolver: self, syntax: syntax)
    let path = try walk.resolve()
    if syntax.quantifier != nil, !path.passesCollection {
      throw QueryError(
        .type, "\(source(syntax.range)) has a quantifier, but no collection is on the path",
        at: syntax.range, hint: "ANY, ALL and NONE need a list, a set, a dictionary or @links")
    }
    return path
  }
}
