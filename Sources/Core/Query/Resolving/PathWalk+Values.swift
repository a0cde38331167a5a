import RealmModel

/// The last property of a path, the steps into its values, and the suffix.
extension PathWalk {
  /// Takes the steps into the values of the last property.
  mutating func takeValues(
    _ position: Int, _ property: Property
  ) throws(QueryError) -> Bool {
    // The reference compares the values of every dictionary as mixed values.
    result.type = property.collection == .dictionary ? .mixed : ValueType(property)
    if property.collection != nil { result.passesCollection = true }
    var steps: [ValueStep] = []
    while next < self.steps.count {
      if try takeLength(property, steps) { break }
      let taken = try valueStep(property, isFirst: steps.isEmpty)
      if case .keys = taken { result.type = .string }
      steps.append(taken)
      next += 1
    }
    path.end = .property(position, steps)
    guard property.collection == nil || !steps.isEmpty else {
      (result.isMultiple, result.isSequence) = (true, true)
      return false
    }
    result.isSequence = !steps.isEmpty
    result.isMultiple =
      property.collection != nil || steps.contains { $0.isMultiple }
    result.isDictionaryEntry = property.collection == .dictionary && isEntry(steps)
    if result.isSequence { result.passesCollection = true }
    return false
  }

  /// Whether the steps are one key.
  private func isEntry(_ steps: [ValueStep]) -> Bool {
    if steps.count == 1, case .element(.key) = steps[0] { true } else { false }
  }

  /// Takes `.length` after a list or set of strings, binaries or mixed values.
  private mutating func takeLength(
    _ property: Property, _ steps: [ValueStep]
  ) throws(QueryError) -> Bool {
    guard property.collection == .list || property.collection == .set, steps.isEmpty,
      property.type == .string || property.type == .binary || property.type == .mixed,
      case .name(let name) = step.step,
      String(decoding: name, as: UTF8.self).lowercased() == "length", next + 1 == self.steps.count
    else { return false }
    next += 1
    path.reading = .elementSizes
    result.type = .int
    return true
  }

  private func valueStep(
    _ property: Property, isFirst: Bool
  ) throws(QueryError) -> ValueStep {
    let isMixed = property.type == .mixed || property.type == .typedLink
    let isDictionary = property.collection == .dictionary && isFirst
    let isList = property.collection == .list && isFirst
    // Inside a mixed value, every step is possible.
    let isInside = isMixed && (property.collection == nil || !isFirst) && result.type != .string
    switch step.step {
    case .all where isInside || isDictionary || isList: return .all
    case .values where isInside || isDictionary: return .all
    case .keys where isInside || isDictionary: return .keys
    case .key(let key) where isInside || isDictionary: return .element(.key(key))
    case .name(let key) where isInside || isDictionary: return .element(.key(key))
    case .index(let index) where isInside || isList: return .element(.index(index))
    case .first where isInside || isList: return .element(.first)
    case .last where isInside || isList: return .element(.last)
    case .argument(let number) where isInside || isDictionary || isList:
      let pick = try pick(argument: number, isDictionary: isDictionary, at: step.range)
      if isList, case .key = pick { throw noStep(property) }
      return .element(pick)
    default: throw noStep(property)
    }
  }

  private func noStep(_ property: Property) -> QueryError {
    let name = property.name.text
    let (kind, hint) =
      switch property.collection {
      case .list:
        (
          "a list of \(resolver.name(ValueType(property)))",
          "pick an element of a list with \(name)[0], \(name)[FIRST] or \(name)[LAST]"
        )
      case .set:
        (
          "a set of \(resolver.name(ValueType(property)))",
          "the members of a set have no positions; ANY \(name) compares each of them"
        )
      case .dictionary:
        (
          "a dictionary of \(resolver.name(ValueType(property)))",
          "pick a value of a dictionary with \(name)['key'], or take \(name).@keys"
        )
      case nil:
        (
          "of type \(resolver.name(ValueType(property)))",
          "only links, collections and mixed values have parts; end the path with \(name)"
        )
      }
    return QueryError(
      .type,
      "\(resolver.source(step.range)) cannot follow '\(property.name.text)', which is \(kind)",
      at: step.range, hint: hint)
  }

  // MARK: The end

  /// Adds the suffix, and sets what kind of values the path gives.
  mutating func finish() throws(QueryError) {
    let followsSeveral = path.followsSeveral
    if case .objects = path.end {
      // The path ends at a collection of links.
      result.isMultiple = followsSeveral
      result.isSequence = followsSeveral
    } else {
      result.isMultiple = result.isMultiple || followsSeveral
      result.isSequence = result.isSequence || followsSeveral
    }
    switch suffix {
    case nil: break
    case .size: try takeSize(followsSeveral)
    case .type: try takeType(followsSeveral)
    }
  }

  private mutating func takeSize(_ followsSeveral: Bool) throws(QueryError) {
    path.reading = .size
    switch path.end {
    case .objects, .allLinks:
      // The links of each object before the last step.
      let isAll = if case .allLinks = path.end { true } else { false }
      let before = isAll ? path.links[...] : path.links.dropLast()
      // All links to several objects are one number. The number of links at the end of a path is a sequence
      // even if the path reaches one object.
      result.isMultiple = !isAll && before.contains { $0.isMultiple }
      result.isSequence = !isAll && !before.isEmpty
    case .property(let position, let steps):
      let property = schema.classes[path.target].properties[position]
      let hasKeys = steps.contains { if case .keys = $0 { true } else { false } }
      let isSized =
        property.collection != nil || property.type == .string || property.type == .binary
        || property.type == .mixed
      guard isSized, !hasKeys else {
        throw QueryError(
          .type,
          "\(resolver.source(range)) has no size: it is "
            + "\(resolver.name(result.type))", at: range,
          hint: "strings, binaries, collections and mixed values have a size")
      }
      // A key or a position before the size is ignored.
      if property.collection != nil { path.end = .property(position, []) }
      let isSeveral = property.collection == nil && steps.contains { $0.isMultiple }
      result.isMultiple = followsSeveral || isSeveral
      result.isSequence = followsSeveral || (property.collection == nil && !steps.isEmpty)
    }
    result.type = .int
  }

  private mutating func takeType(_ followsSeveral: Bool) throws(QueryError) {
    path.reading = .type
    guard result.type != .mixed else {
      result.type = .typeName
      return
    }
    // The type of a property is known: the path is a constant.
    guard !result.isMultiple else {
      throw QueryError(
        .type,
        "@type needs mixed values, but \(resolver.source(range)) holds "
          + "\(resolver.name(result.type)) values", at: range,
        hint: "the type of a property is known; leave the condition out")
    }
  }
}
