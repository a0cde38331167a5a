public import RealmStorage

/// A version of a realm with its schema decoded: what threads share. Each of them reads objects
/// through a ``RealmReader`` of its own.
public struct Realm: Sendable {
  public let snapshot: Snapshot
  public let schema: Schema

  /// - Throws: `damaged` with a rule of group `table`, `spec`, `cluster` or `node`, or the errors of
  ///   an encrypted source; with the path.
  public init(_ snapshot: Snapshot) throws(RealmFileError) {
    self.snapshot = snapshot
    do throws(RealmFileError) {
      let nodes = try snapshot.makeReader()
      schema = try SchemaReader(nodes: nodes).read(snapshot.top)
    } catch {
      throw error.adding(path: snapshot.path)
    }
  }

  /// The schema version that the app set, nil where it set none (chapter 3, section 8.1).
  ///
  /// - Throws: `damaged` where the table that holds it cannot be read.
  public func schemaVersion() throws(RealmFileError) -> UInt64? {
    guard let table = schema.table(named: "metadata"),
      let column = table.column(named: "version"), column.type == .int, column.collection == nil
    else { return nil }
    let reader = try RealmReader(self)
    guard let first = try reader.clusters(of: table).first else { return nil }
    let cluster = try reader.cluster(first)
    guard cluster.count > 0 else { return nil }
    guard case .int(let values, _) = try reader.batch(column, of: cluster), values[0] != -1
    else { return nil }
    return UInt64(bitPattern: values[0])
  }
}
