/// An object before and after a step of a migration.
public struct MigrationSample: Sendable {
  public struct Value: Sendable {
    public var property: String
    public var value: String
  }

  /// The primary key, or the object key if the class has no primary key.
  public var identity: String
  public var before: [Value]
  public var after: [Value]
}
