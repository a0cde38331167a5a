import RealmInterchange
import RealmModel
import RealmStorage

/// Decodes a migration plan from a YAML or JSON document.
package struct PlanDecoder {
  /// The version of plans.
  private static let notation = "1"

  /// Decodes a plan.
  ///
  /// - Throws: what is wrong with the plan, and where.
  package static func decode(_ plan: [UInt8]) throws(PlanError) -> MigrationPlan {
    let root = try PlanMembers(
      try PlanDocument.read(plan), of: "a plan", known: ["realm-migration", "versions"])
    let notation = try root.text("realm-migration")
    guard notation.text == PlanDecoder.notation else {
      throw PlanError(
        .structure, "found realm-migration: \(notation.text), expected 1", at: notation.place,
        hint: "look for a newer version of realm-cli")
    }
    let list = try root.required("versions")
    var versions: [MigrationPlan.Version] = []
    for node in try elements(list, "versions") {
      let version = try version(node)
      if let last = versions.last, last.number >= version.number {
        throw PlanError(
          .structure, "found version \(version.number) after \(last.number), expected a higher one",
          at: version.place)
      }
      versions.append(version)
    }
    guard !versions.isEmpty else {
      throw PlanError(
        .structure, "'versions' is empty, expected at least one version", at: list.place)
    }
    return MigrationPlan(versions: versions)
  }

  private static func elements(_ node: PlanNode, _ name: String) throws(PlanError) -> [PlanNode] {
    guard case .list(let elements) = node.content else {
      throw PlanError(.structure, "'\(name)' is \(node.kind), expected a list", at: node.place)
    }
    return elements
  }

  private static func version(_ node: PlanNode) throws(PlanError) -> MigrationPlan.Version {
    let members = try PlanMembers(node, of: "a version", known: ["to", "steps"])
    let to = try members.text("to")
    // The highest number marks a realm without a version.
    guard let number = UInt64(to.text), (1..<UInt64.max).contains(number) else {
      throw PlanError(
        .structure, "found the schema version '\(to.text)', expected a number from 1 on",
        at: to.place)
    }
    var steps: [MigrationStep] = []
    for step in try elements(try members.required("steps"), "steps") {
      steps.append(try self.step(step))
    }
    return MigrationPlan.Version(number: number, place: to.place, steps: steps)
  }

  private static func step(_ node: PlanNode) throws(PlanError) -> MigrationStep {
    let names = StepName.allCases.map(\.rawValue)
    guard case .mapping(let members) = node.content, members.count == 1 else {
      throw PlanError(
        .structure, "found \(node.kind), expected one step with its members", at: node.place,
        hint: "write - add-property: {class: Person, name: age, type: int}")
    }
    let (name, value) = members[0]
    guard let step = StepName(rawValue: name.text) else {
      throw PlanError(
        .structure, "there is no step '\(name.text)'", at: name.place,
        hint: NearestName.suggestion(
          name.text, names, of: "the steps are", limit: names.count))
    }
    return MigrationStep(action: try action(step, value), place: name.place)
  }

  private static func action(
    _ step: StepName, _ node: PlanNode
  ) throws(PlanError) -> MigrationAction {
    func members(_ known: [String]) throws(PlanError) -> PlanMembers {
      try PlanMembers(node, of: step.rawValue, known: known)
    }
    func members(_ known: String...) throws(PlanError) -> PlanMembers { try members(known) }
    switch step {
    case .addProperty:
      let all = try members(
        ["class", "name", "value"] + PlanDecoder.typeMembers + PlanDecoder.indexMembers)
      return .addProperty(
        class: try all.text("class"), try property(try all.text("name"), all),
        value: try all.optionalText("value"))
    case .removeProperty:
      let all = try members("class", "name")
      return .removeProperty(class: try all.text("class"), name: try all.text("name"))
    case .renameProperty:
      let all = try members("class", "from", "to")
      return .renameProperty(
        class: try all.text("class"), from: try all.text("from"), to: try all.text("to"))
    case .changeType:
      let all = try members(["class", "name", "value"] + PlanDecoder.typeMembers)
      return .changeType(
        class: try all.text("class"), name: try all.text("name"), try longType(all),
        value: try all.optionalText("value"))
    case .setOptional:
      let all = try members("class", "name")
      return .setOptional(class: try all.text("class"), name: try all.text("name"))
    case .setRequired:
      let all = try members("class", "name", "value")
      return .setRequired(
        class: try all.text("class"), name: try all.text("name"),
        value: try all.optionalText("value"))
    case .setPrimaryKey:
      let all = try members("class", "name")
      return .setPrimaryKey(class: try all.text("class"), name: try all.text("name"))
    case .removePrimaryKey:
      return .removePrimaryKey(class: try members("class").text("class"))
    case .addIndex:
      let all = try members("class", "name", "fulltext")
      return .addIndex(
        class: try all.text("class"), name: try all.text("name"),
        try all.flag("fulltext") ? .fulltext : .search)
    case .removeIndex:
      let all = try members("class", "name")
      return .removeIndex(class: try all.text("class"), name: try all.text("name"))
    case .addClass:
      return .addClass(
        try addedClass(try members("name", "primary-key", "embedded", "properties")))
    case .removeClass: return .removeClass(try members("name").text("name"))
    case .renameClass:
      let all = try members("from", "to")
      return .renameClass(from: try all.text("from"), to: try all.text("to"))
    case .setEmbedded: return .setEmbedded(try members("class").text("class"))
    case .setTopLevel: return .setTopLevel(try members("class").text("class"))
    case .setValues:
      let all = try members("class", "where", "values")
      return .setValues(
        class: try all.text("class"),
        where: try all.optionalText("where").map { .meeting($0) } ?? .all, values: try values(all))
    case .deleteObjects:
      let all = try members("class", "where")
      return .deleteObjects(class: try all.text("class"), where: .meeting(try all.text("where")))
    }
  }

  private static func values(
    _ members: PlanMembers
  ) throws(PlanError) -> [(name: PlanText, value: PlanText)] {
    var values: [(name: PlanText, value: PlanText)] = []
    for (name, node) in try members.pairs("values") {
      values.append((name, try PlanMembers.text(node, name.text)))
    }
    guard !values.isEmpty else {
      throw PlanError(.structure, "'values' is empty, expected a property", at: members.place)
    }
    return values
  }

  // MARK: Classes and properties

  /// The members of a type. All but the first are for the long form.
  private static let typeMembers = ["type", "objectType", "optional", "collection"]
  private static let indexMembers = ["indexed", "fulltext"]

  private static func addedClass(_ members: PlanMembers) throws(PlanError) -> PlannedClass {
    var properties: [PlannedProperty] = []
    for (name, node) in try members.pairs("properties") {
      if case .scalar = node.content {
        properties.append(PlannedProperty(name: name, type: try type(node), index: nil))
      } else {
        let known = PlanDecoder.typeMembers + PlanDecoder.indexMembers
        properties.append(
          try property(name, try PlanMembers(node, of: "the property \(name.text)", known: known)))
      }
    }
    return PlannedClass(
      name: try members.text("name"), primaryKey: try members.optionalText("primary-key"),
      isEmbedded: try members.flag("embedded"), properties: properties)
  }

  private static func property(
    _ name: PlanText, _ members: PlanMembers
  ) throws(PlanError) -> PlannedProperty {
    let (isIndexed, isFulltext) = (try members.flag("indexed"), try members.flag("fulltext"))
    guard !isIndexed || !isFulltext else {
      throw PlanError(
        .structure, "a property has one index: 'indexed' or 'fulltext'", at: members.place)
    }
    return PlannedProperty(
      name: name, type: try longType(members),
      index: isIndexed ? .search : isFulltext ? .fulltext : nil)
  }

  /// Reads a type in one word, or with the members of the long form.
  private static func longType(_ members: PlanMembers) throws(PlanError) -> PlannedType {
    let text = try members.text("type")
    let notation = TypeNotation(Array(text.text.utf8))
    let target = try members.optionalText("objectType")
    if let target {
      guard case .objects(let word) = notation.kind, word.elementsEqual("object".utf8) else {
        throw PlanError(
          .structure, "found 'objectType' with the type '\(text.text)', expected the type object",
          at: target.place)
      }
    }
    var collection: CollectionKind?
    if let word = try members.optionalText("collection") {
      switch word.text {
      case "list": collection = .list
      case "set": collection = .set
      case "dictionary": collection = .dictionary
      default:
        throw PlanError(
          .structure, "found the collection '\(word.text)', expected list, set or dictionary",
          at: word.place)
      }
    }
    return planned(
      notation, at: text.place, target: target, isMarked: try members.flag("optional"),
      collection: collection)
  }

  private static func type(_ node: PlanNode) throws(PlanError) -> PlannedType {
    let text = try PlanMembers.text(node, "type")
    return planned(TypeNotation(Array(text.text.utf8)), at: text.place)
  }

  /// - Parameters:
  ///   - target: the target class of links, if the word does not name it.
  ///   - isMarked: whether the type is optional regardless of the word.
  ///   - collection: the collection, if the word does not name one.
  private static func planned(
    _ notation: TypeNotation, at place: PlanPlace, target: PlanText? = nil, isMarked: Bool = false,
    collection: CollectionKind? = nil
  ) -> PlannedType {
    let collection = collection ?? notation.collection
    let (type, linked): (PropertyType, PlanText?) =
      switch notation.kind {
      case .type(let type): (type, nil)
      case .objects(let name):
        (.link, target ?? PlanText(String(decoding: name, as: UTF8.self), at: place))
      }
    return PlannedType(
      type: type,
      isOptional: notation.isOptional || isMarked
        || TypeNotation.isAlwaysOptional(type, collection),
      collection: collection, target: linked, place: place)
  }
}
