import RealmModel

/// Models for SwiftData, with inverse relations, and an importer of Realm JSON, one object per line.
struct SwiftDataModels: ModelLanguage {
  let names = ModelNames(
    classWords: SwiftModels.words.union([
      "Any", "Array", "Attribute", "Bool", "Data", "Date", "Dictionary", "Double", "Error", "Float",
      "ImportedModel", "Int", "Model", "ModelContext", "Optional", "PersistentIdentifier",
      "PersistentModel", "RealmImporter", "RealmJSON", "RealmJSONError", "RealmJSONParser",
      "Relationship", "Schema", "Set", "String", "Transient", "UUID",
    ]),
    propertyWords: SwiftModels.words.union([
      "debugDescription", "description", "entity", "fill", "hasChanges", "hash", "hashValue",
      "isDeleted", "keyInOwner", "link", "modelContext", "object", "objectID", "objectKey",
      "importer", "persistentBackingData", "persistentModelID", "positionInOwner", "setPlace",
      "text",
      "value",
    ]), propertyStyle: .open)

  func text(_ classes: [ModelClass]) -> String {
    let models = SwiftDataModel.all(classes, names)
    var source = ModelSource(indent: "    ")
    source.line("import Foundation")
    source.line("import SwiftData")
    for model in models {
      source.line()
      append(model, models, to: &source)
    }
    for model in models {
      source.line()
      append(importOf: model, models, to: &source)
    }
    source.line()
    source.block("extension RealmImporter") { source in
      source.line("/// Makes an object of a class; nil for a class that is not among the models.")
      source.block("static func make(_ name: String) -> (any ImportedModel)?") { source in
        source.block("switch name") { source in
          for model in models where model.isTopLevel {
            source.line(
              "case \(ModelSource.quoted(model.name)): \(model.identifier)()")
          }
          source.line("default: nil")
        }
      }
    }
    source.line()
    source.lines(SwiftDataModels.importer)
    source.lines(SwiftDataModels.json)
    source.lines(SwiftDates.secondsSince1970)
    return source.text
  }

  private func append(
    _ model: SwiftDataModel, _ models: [SwiftDataModel], to source: inout ModelSource
  ) {
    source.line("@Model")
    source.block("final class \(model.identifier)") { source in
      if model.hasObjectKey {
        source.line("/// The key of the object in the realm, which has no primary key for it.")
        source.line("@Attribute(.unique) var objectKey: Int = 0")
      }
      for member in model.members { append(member, to: &source) }
      for inverse in model.inverses { append(inverse, to: &source) }
      if !model.isTopLevel {
        source.line("/// The place of the object in a list or a dictionary of its owner.")
        source.line("var positionInOwner: Int = 0")
        source.line("var keyInOwner: String?")
      }
      source.line()
      source.line("init() {}")
    }
  }

  private func append(_ member: SwiftDataModel.Member, to source: inout ModelSource) {
    let name = member.property.identifier
    switch member.kind {
    case .value(let type, let value):
      source.line(
        (member.property.isPrimaryKey ? "@Attribute(.unique) " : "")
          + "var \(name): \(type)\(value.map { " = " + $0 } ?? "")")
    case .values(let element):
      source.line("var \(name): [\(element)] = []")
    case .entries(let element):
      source.line("var \(name): [String: \(element)] = [:]")
    case .link(let target, let inverse, let isEmbedded):
      if isEmbedded { source.line(owning(target, inverse)) }
      source.line("var \(name): \(target)?")
    case .links(let target, let inverse, let isEmbedded, let order):
      if isEmbedded { source.line(owning(target, inverse)) }
      source.line("var \(name): [\(target)] = []")
      switch order {
      case .list(let identifier, let identity):
        source.line(
          "/// The identities of `\(name)` in their order, which a relation does not keep.")
        source.line("var \(identifier): [\(identity)] = []")
      case .dictionary(let identifier, let identity):
        source.line("/// The identity for each key: a relation has no keys.")
        source.line("var \(identifier): [String: \(identity)?] = [:]")
      case nil: break
      }
    }
  }

  private func owning(_ target: String, _ inverse: String) -> String {
    "@Relationship(deleteRule: .cascade, inverse: \\\(target).\(inverse))"
  }

  private func append(_ inverse: SwiftDataModel.Inverse, to source: inout ModelSource) {
    if inverse.isOwner {
      source.line("var \(inverse.identifier): \(inverse.origin)?")
    } else {
      source.line(
        "@Relationship(deleteRule: .nullify, inverse: \\\(inverse.origin).\(inverse.property))")
      source.line("var \(inverse.identifier): [\(inverse.origin)] = []")
    }
  }

  // MARK: Importer

  private func append(
    importOf model: SwiftDataModel, _ models: [SwiftDataModel], to source: inout ModelSource
  ) {
    source.block("extension \(model.identifier): ImportedModel") { source in
      let identity = model.members.first(where: \.property.isPrimaryKey)?.name ?? model.keyMember
      source.line("static var identityMember: String { \(ModelSource.quoted(identity)) }")
      source.line()
      source.line("/// Sets all values except links to other objects.")
      source.block("func fill(from object: RealmJSON, _ importer: RealmImporter) throws") {
        source in
        if model.hasObjectKey {
          source.line("objectKey = try object[\(ModelSource.quoted(model.keyMember))].int()")
        }
        for member in model.members { append(valueOf: member, to: &source) }
      }
      source.line()
      if !model.isTopLevel {
        source.block("func setPlace(position: Int, key: String?)") { source in
          source.line("(positionInOwner, keyInOwner) = (position, key)")
        }
        source.line()
      }
      source.line("/// Sets the links, when all objects exist.")
      source.block("func link(from object: RealmJSON, _ importer: RealmImporter) throws") {
        source in
        for member in model.members { append(linkOf: member, to: &source) }
      }
    }
  }

  private func append(valueOf member: SwiftDataModel.Member, to source: inout ModelSource) {
    let name = member.property.identifier
    let json = "object[\(ModelSource.quoted(member.name))]"
    switch member.kind {
    case .value:
      source.line("\(name) = try \(json).\(member.reader)")
    case .values:
      source.line("\(name) = try \(json).array().map { try $0.\(member.reader) }")
    case .entries:
      source.line("\(name) = try \(json).dictionary().mapValues { try $0.\(member.reader) }")
    case .link(let target, _, true):
      source.line("\(name) = try importer.embedded(\(target).self, \(json))")
    case .links(let target, _, true, _):
      let isDictionary = member.property.property.collection == .dictionary
      source.line(
        "\(name) = try importer.embedded\(isDictionary ? "Entries" : "Elements")(\(target).self, \(json))"
      )
    case .link, .links: break
    }
  }

  private func append(linkOf member: SwiftDataModel.Member, to source: inout ModelSource) {
    let name = member.property.identifier
    let json = "object[\(ModelSource.quoted(member.name))]"
    switch member.kind {
    case .value, .values, .entries: break
    case .link(_, _, true): source.line("try \(name)?.link(from: \(json), importer)")
    case .links(_, _, true, _):
      if member.property.property.collection == .dictionary {
        source.line(
          "for item in \(name) { try item.link(from: \(json).entry(item.keyInOwner ?? \"\"), importer) }"
        )
      } else {
        source.line(
          "for (item, part) in zip(\(name).sorted { $0.positionInOwner < $1.positionInOwner }, try \(json).array()) {"
        )
        source.line("    try item.link(from: part, importer)")
        source.line("}")
      }
    case .link(let target, _, false):
      source.line("\(name) = try importer.object(\(target).self, \(json))")
    case .links(let target, _, false, let order):
      switch order {
      case .list(let identifier, _):
        source.line(
          "(\(name), \(identifier)) = try importer.objects(\(target).self, \(json)) { try $0.\(member.identityReader) }"
        )
      case .dictionary(let identifier, _):
        source.line(
          "(\(name), \(identifier)) = try importer.entries(\(target).self, \(json)) { try $0.\(member.identityReader) }"
        )
      case nil:
        source.line("\(name) = try importer.objects(\(target).self, \(json)) { _ in 0 }.objects")
      }
    }
  }
}
