/// A difference between two schemas, and how the SDKs react to it (chapter 3, section 9).
public struct SchemaChange: Sendable {
  /// What differs.
  public enum Kind: Sendable {
    case classAdded
    case classRemoved
    case classKind(from: ObjectClass.Kind, to: ObjectClass.Kind)
    /// The names of the primary keys; nil for none.
    case primaryKey(from: Name?, to: Name?)
    case propertyAdded(Property)
    case propertyRemoved(Property)
    /// The type, the kind of collection or the target class differs.
    case typeChanged(from: Property, to: Property)
    case madeOptional(from: Property, to: Property)
    case madeRequired(from: Property, to: Property)
    /// Nil for no index.
    case index(from: PropertyIndex?, to: PropertyIndex?)
  }

  /// What a local realm needs so that an app with the new schema opens it.
  public enum Local: String, Sendable {
    /// Nothing: the app opens the realm at the same schema version.
    case nothing
    /// A higher schema version. The SDK migrates by itself.
    case migration
    /// No migration can make this change.
    case impossible
  }

  /// What happens to a synced realm that an app with the new schema opens.
  public enum Synced: String, Sendable {
    /// The app changes the realm when it opens it.
    case additive
    /// The realm keeps the class or property, and the app does not see it.
    case ignored
    /// The app cannot open the realm.
    case impossible
  }

  /// The effect on local and synced realms in one word.
  public enum Level: String, Sendable, CaseIterable {
    /// Nothing that exists is changed.
    case additive
    /// A local realm needs a migration; a synced realm opens.
    case migration
    /// A synced realm does not open; a local realm needs a migration.
    case impossibleWhenSynced
    /// Neither opens.
    case impossible
  }

  public let className: Name
  /// Nil for a change of a class.
  public let property: Name?
  public let kind: Kind

  init(_ className: Name, _ property: Name? = nil, _ kind: Kind) {
    (self.className, self.property, self.kind) = (className, property, kind)
  }

  public var local: Local {
    switch kind {
    case .classAdded, .classRemoved, .index: .nothing
    case .classKind(let from, let to):
      from == .asymmetric || to == .asymmetric ? .impossible : .migration
    case .primaryKey, .propertyAdded, .propertyRemoved, .typeChanged, .madeOptional, .madeRequired:
      .migration
    }
  }

  public var synced: Synced {
    switch kind {
    case .classAdded, .propertyAdded, .index: .additive
    case .classRemoved, .propertyRemoved: .ignored
    case .classKind, .primaryKey, .typeChanged, .madeOptional, .madeRequired: .impossible
    }
  }

  /// Whether the migration of a local realm loses values: an SDK converts none, and gives a property that
  /// became required its default in every object.
  public var losesValues: Bool {
    switch kind {
    case .propertyRemoved, .typeChanged, .madeRequired: true
    default: false
    }
  }

  public var level: Level {
    switch (local, synced) {
    case (.impossible, _): .impossible
    case (_, .impossible): .impossibleWhenSynced
    case (_, .additive), (.nothing, _): .additive
    case (.migration, .ignored): .migration
    }
  }
}
