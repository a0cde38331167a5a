package import RealmModel

/// The steps that bring a realm from one schema version to another, as a plan file lists them.
package struct MigrationPlan: Sendable {
  /// The steps to one schema version.
  package struct Version: Sendable {
    package let number: UInt64
    let place: PlanPlace
    package let steps: [MigrationStep]
  }

  /// At least one, in ascending order.
  package let versions: [Version]
}

/// A place in a plan file; line and column count from 1. Line 0 stands for steps that are not from a file.
package struct PlanPlace: Equatable, Sendable {
  let line: Int
  let column: Int

  package static let nowhere = PlanPlace(line: 0, column: 0)
}

/// A string in a plan, such as a name or an expression, with its place.
package struct PlanText: Sendable {
  package let text: String
  let place: PlanPlace

  init(_ text: String, at place: PlanPlace = .nowhere) { (self.text, self.place) = (text, place) }
}

/// One step of a plan.
package struct MigrationStep: Sendable {
  package let action: MigrationAction
  let place: PlanPlace
}

extension MigrationStep {
  /// The step that gives each object of a class a new ObjectId in a new property.
  package static func addObjectIds(to className: Name, as property: String) -> MigrationStep {
    let type = PlannedType(
      type: .objectId, isOptional: false, collection: nil, target: nil, place: .nowhere)
    return MigrationStep(
      action: .addProperty(
        class: PlanText(className.text),
        PlannedProperty(name: PlanText(property), type: type, index: nil),
        value: PlanText("newObjectId()")),
      place: .nowhere)
  }

  package static func setPrimaryKey(of className: Name, to property: String) -> MigrationStep {
    MigrationStep(
      action: .setPrimaryKey(class: PlanText(className.text), name: PlanText(property)),
      place: .nowhere)
  }

  /// The step that sets values of objects.
  ///
  /// - Parameter values: names of properties, with expressions.
  package static func setValues(
    of className: Name, where choice: ObjectChoice<PlanText>,
    to values: [(property: String, expression: String)]
  ) -> MigrationStep {
    MigrationStep(
      action: .setValues(
        class: PlanText(className.text), where: choice,
        values: values.map { (PlanText($0.property), PlanText($0.expression)) }),
      place: .nowhere)
  }

  /// The step that deletes the objects with `keys`.
  package static func deleteObjects(of className: Name, _ keys: KeyList) -> MigrationStep {
    MigrationStep(
      action: .deleteObjects(class: PlanText(className.text), where: .keys(keys)),
      place: .nowhere)
  }

  package static func rename(
    _ property: Name, of className: Name, to name: String
  ) -> MigrationStep {
    MigrationStep(
      action: .renameProperty(
        class: PlanText(className.text), from: PlanText(property.text), to: PlanText(name)),
      place: .nowhere)
  }
}

/// What a step does.
package enum MigrationAction: Sendable {
  case addProperty(class: PlanText, PlannedProperty, value: PlanText?)
  case removeProperty(class: PlanText, name: PlanText)
  case renameProperty(class: PlanText, from: PlanText, to: PlanText)
  /// Converts the values if there is no expression.
  case changeType(class: PlanText, name: PlanText, PlannedType, value: PlanText?)
  case setOptional(class: PlanText, name: PlanText)
  /// The expression gives values instead of nulls.
  case setRequired(class: PlanText, name: PlanText, value: PlanText?)
  case setPrimaryKey(class: PlanText, name: PlanText)
  case removePrimaryKey(class: PlanText)
  case addIndex(class: PlanText, name: PlanText, PropertyIndex)
  case removeIndex(class: PlanText, name: PlanText)
  case addClass(PlannedClass)
  case removeClass(PlanText)
  case renameClass(from: PlanText, to: PlanText)
  case setEmbedded(PlanText)
  case setTopLevel(PlanText)
  case setValues(
    class: PlanText, where: ObjectChoice<PlanText>, values: [(name: PlanText, value: PlanText)])
  case deleteObjects(class: PlanText, where: ObjectChoice<PlanText>)

  /// The name of the step in a plan.
  package var name: StepName {
    switch self {
    case .addProperty: .addProperty
    case .removeProperty: .removeProperty
    case .renameProperty: .renameProperty
    case .changeType: .changeType
    case .setOptional: .setOptional
    case .setRequired: .setRequired
    case .setPrimaryKey: .setPrimaryKey
    case .removePrimaryKey: .removePrimaryKey
    case .addIndex: .addIndex
    case .removeIndex: .removeIndex
    case .addClass: .addClass
    case .removeClass: .removeClass
    case .renameClass: .renameClass
    case .setEmbedded: .setEmbedded
    case .setTopLevel: .setTopLevel
    case .setValues: .setValues
    case .deleteObjects: .deleteObjects
    }
  }

  /// The class and property that the step is about: `Person.name`.
  package var subject: String {
    switch self {
    case .addProperty(let owner, let property, _): "\(owner.text).\(property.name.text)"
    case .removeProperty(let owner, let name), .setOptional(let owner, let name),
      .setPrimaryKey(let owner, let name), .removeIndex(let owner, let name),
      .changeType(let owner, let name, _, _), .setRequired(let owner, let name, _),
      .addIndex(let owner, let name, _):
      "\(owner.text).\(name.text)"
    case .renameProperty(let owner, let from, let to): "\(owner.text).\(from.text) -> \(to.text)"
    case .addClass(let added): added.name.text
    case .renameClass(let from, let to): "\(from.text) -> \(to.text)"
    case .removePrimaryKey(let name), .removeClass(let name), .setEmbedded(let name),
      .setTopLevel(let name), .deleteObjects(let name, _):
      name.text
    case .setValues(let owner, _, let values):
      "\(owner.text).\(values.map(\.name.text).joined(separator: ", "))"
    }
  }
}

/// The objects of a class that a step is about.
package enum ObjectChoice<Condition: Sendable>: Sendable {
  case all
  case meeting(Condition)
  /// Objects that were found before. Every embedded object in a deleted one is among the keys of a deletion too.
  case keys(KeyList)

  /// The choice with another form of the condition.
  func map<Other: Sendable, Failure: Error>(
    _ body: (Condition) throws(Failure) -> Other
  ) throws(Failure) -> ObjectChoice<Other> {
    switch self {
    case .all: .all
    case .meeting(let condition): .meeting(try body(condition))
    case .keys(let keys): .keys(keys)
    }
  }

  /// Nil if the objects need no evaluation.
  var condition: Condition? { if case .meeting(let condition) = self { condition } else { nil } }
}

/// The names of steps.
package enum StepName: String, CaseIterable, Sendable {
  case addProperty = "add-property"
  case removeProperty = "remove-property"
  case renameProperty = "rename-property"
  case changeType = "change-type"
  case setOptional = "set-optional"
  case setRequired = "set-required"
  case setPrimaryKey = "set-primary-key"
  case removePrimaryKey = "remove-primary-key"
  case addIndex = "add-index"
  case removeIndex = "remove-index"
  case addClass = "add-class"
  case removeClass = "remove-class"
  case renameClass = "rename-class"
  case setEmbedded = "set-embedded"
  case setTopLevel = "set-top-level"
  case setValues = "set-values"
  case deleteObjects = "delete-objects"
}

/// A type in a plan.
package struct PlannedType: Sendable {
  let type: PropertyType
  let isOptional: Bool
  let collection: CollectionKind?
  /// The target class of links; nil for other types.
  let target: PlanText?
  let place: PlanPlace
}

/// A property in a plan.
package struct PlannedProperty: Sendable {
  package let name: PlanText
  let type: PlannedType
  let index: PropertyIndex?
}

/// A class in a plan.
package struct PlannedClass: Sendable {
  let name: PlanText
  let primaryKey: PlanText?
  let isEmbedded: Bool
  let properties: [PlannedProperty]
}
