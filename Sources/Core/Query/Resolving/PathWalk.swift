import RealmModel
import RealmStorage

/// Resolves the steps of a path one after the other.
struct PathWalk {
  let resolver: Resolver
  let range: TextRange
  let suffix: PathSyntax.Suffix?
  var steps: [PathStepSyntax]
  var next = 0
  var path: KeyPath
  var result: Resolver.ResolvedPath

  var schema: ObjectSchema { resolver.schema }

  init(resolver: Resolver, syntax: PathSyntax) {
    (self.resolver, range, steps) = (resolver, syntax.range, syntax.steps)
    suffix = syntax.suffix
    path = KeyPath(origin: resolver.base)
    result = Resolver.ResolvedPath(keyPath: path, type: .link(resolver.base))
  }

  mutating func resolve() throws(QueryError) -> Resolver.ResolvedPath {
    try expandArgument()
    if let variable = resolver.variables.last, case .name(let name) = steps[0].step,
      name == variable.name
    {
      steps.removeFirst()
    }
    guard !steps.isEmpty else {
      throw QueryError(
        .unknownName, "expected a property after \(resolver.source(range))", at: range,
        hint: "name a property of the object: $d.age")
    }
    while next < steps.count, try takeStep() {}
    try finish()
    result.keyPath = path
    return result
  }

  /// Replaces `$K<n>` by the steps in its string.
  private mutating func expandArgument() throws(QueryError) {
    guard case .keyPathArgument(let number) = steps[0].step else { return }
    let place = steps[0].range
    guard case .value(.string(let text)) = try resolver.argument(number, at: place) else {
      throw QueryError(
        .argument, "argument $K\(number) is not a string with a key path", at: place,
        hint: "pass the path as a string, such as dog.name")
    }
    guard steps.count == 1 else {
      throw QueryError(
        .argument, "a key path argument must be the whole path", at: range,
        hint: "pass the whole path as the argument: $K0 with dog.name")
    }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= Parser.stepLimit else {
      throw QueryError(
        .tooLarge,
        "argument $K\(number) is a path of \(parts.count) steps, expected at most "
          + "\(Parser.stepLimit)", at: place, hint: "pass a shorter path")
    }
    steps = parts.map { part in
      let step: PathStepSyntax.Step =
        switch part {
        case "@links": .links
        case "@keys": .keys
        case "@values": .values
        default: .name(Array(part.utf8))
        }
      return PathStepSyntax(step: step, range: place)
    }
  }

  var step: PathStepSyntax { steps[next] }

  /// Takes the next step, with the steps that belong to it.
  ///
  /// - Returns: false if the end of the path is reached.
  private mutating func takeStep() throws(QueryError) -> Bool {
    switch step.step {
    case .links: return try takeBacklinks()
    case .name(let name):
      let position = try resolver.propertyPosition(name, of: path.target, at: step.range)
      let property = schema.classes[path.target].properties[position]
      result.property = property
      next += 1
      guard property.type == .link else {
        return try takeValues(position, property)
      }
      return try takeLink(position, property)
    default:
      throw QueryError(
        .type, "found \(resolver.source(step.range)), expected a property",
        at: step.range, hint: "begin the path with a property: scores[0], dog.name")
    }
  }

  // MARK: Links

  private mutating func takeLink(
    _ position: Int, _ property: Property
  ) throws(QueryError) -> Bool {
    guard let target = property.target else {
      throw QueryError(
        .unknownName, "the class that '\(property.name.text)' links to does not exist", at: range,
        hint: "leave the condition out: links to no class match nothing")
    }
    if property.collection == .dictionary, next < steps.count, case .keys = step.step {
      return try takeValues(position, property)
    }
    var link = LinkStep(
      source: .property(position), pick: nil, target: target,
      isMultiple: property.collection != nil)
    if property.collection != nil { result.passesCollection = true }
    try takePick(of: property, into: &link)
    path.links.append(link)
    result.type = .link(target)
    return true
  }

  /// Takes the step that picks an element of a collection of links, if there is one.
  private mutating func takePick(
    of property: Property?, into link: inout LinkStep
  ) throws(QueryError) {
    guard next < steps.count else { return }
    let place = step.range
    let isDictionary = property?.collection == .dictionary
    switch step.step {
    case .all where link.isMultiple: break
    case .values where isDictionary: break
    case .key(let key) where isDictionary: link.pick = .key(key)
    case .name(let name) where isDictionary:
      guard !schema.classes[link.target].properties.contains(where: { $0.name.bytes == name })
      else { return }
      link.pick = .key(name)
    case .argument(let number):
      link.pick = try pick(argument: number, isDictionary: isDictionary, at: place)
    case .index(let index): link.pick = .index(index)
    case .first: link.pick = .first
    case .last: link.pick = .last
    default: return
    }
    let isIndex = if let pick = link.pick, case .key = pick { false } else { link.pick != nil }
    let isList = property.map { $0.collection == .list } ?? true
    guard !isIndex || (isList && link.isMultiple) else {
      throw QueryError(
        .type, "\(resolver.source(place)) picks an element, but only lists have positions",
        at: place,
        hint: "compare any element by leaving the brackets out, or give a dictionary a key: ['key']"
      )
    }
    next += 1
    guard !isIndex || next < steps.count else {
      throw QueryError(
        .type, "expected a property after \(resolver.source(range))", at: range,
        hint: "one element of a list of links cannot be compared itself")
    }
  }

  func pick(
    argument number: Int, isDictionary: Bool, at place: TextRange
  ) throws(QueryError) -> ElementPick {
    switch try resolver.argument(number, at: place) {
    case .value(.int(let index)) where index >= 0 && !isDictionary: return .index(Int(index))
    case .value(.string(let key)): return .key(Array(key.utf8))
    default:
      throw QueryError(
        .argument, "argument $\(number) is neither a position nor a key", at: place,
        hint: "pass a number from 0 for a list, or a string for a dictionary")
    }
  }

  private mutating func takeBacklinks() throws(QueryError) -> Bool {
    let place = step.range
    next += 1
    result.passesCollection = true
    guard next < steps.count else {
      guard suffix == .size else {
        throw QueryError(
          .type, "expected a class and a property after @links", at: place,
          hint: "@links.Class.property, or @links.@count for the number of all links")
      }
      path.end = .allLinks
      return false
    }
    guard next + 1 < steps.count, case .name(let className) = step.step,
      case .name(let name) = steps[next + 1].step
    else {
      throw QueryError(
        .type, "expected a class and a property after @links", at: place,
        hint: "@links.Class.property")
    }
    let origin = try resolver.classPosition(className, at: step.range)
    let nameRange = steps[next + 1].range
    let position = try resolver.propertyPosition(name, of: origin, at: nameRange)
    let property = schema.classes[origin].properties[position]
    guard property.type == .link, property.target == path.target else {
      let target = schema.classes[path.target].name.text
      let linksHint = hintAboutLinks(to: path.target)
      throw QueryError(
        .type,
        "'\(property.name.text)' of \(schema.classes[origin].name.text) does not link to "
          + target, at: nameRange, hint: linksHint)
    }
    next += 2
    var link = LinkStep(
      source: .backlinks(origin: origin, property: position), pick: nil, target: origin,
      isMultiple: true)
    try takePick(of: nil, into: &link)
    path.links.append(link)
    result.type = .link(origin)
    result.property = nil
    return true
  }

  /// The properties that link to the class at `position`.
  private func hintAboutLinks(to position: Int) -> String {
    let links = schema.appClasses.flatMap { origin in
      schema.classes[origin].properties.filter { $0.type == .link && $0.target == position }.map {
        "@links.\(schema.classes[origin].name.text).\($0.name.text)"
      }
    }
    let name = schema.classes[position].name.text
    guard !links.isEmpty else { return "no property links to \(name)" }
    return "the links to \(name) are \(NearestName.list(links))"
  }
}
