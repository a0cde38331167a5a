/// A part of a source: objects of one class that one thread reads. Parts are in the order of the output, and the parts
/// of one class are consecutive.
public struct ObjectPart: Sendable {
  /// Position of the class in the schema.
  public let classPosition: Int
  /// The clusters to read, for sources that read realms.
  package let clusters: [ClusterPosition]
  /// Position among the parts.
  public let number: Int

  /// - Parameter number: position among the parts of the source.
  public init(classPosition: Int, number: Int) {
    self.init(classPosition: classPosition, number: number, clusters: [])
  }

  package init(classPosition: Int, number: Int, clusters: [ClusterPosition]) {
    (self.classPosition, self.number, self.clusters) = (classPosition, number, clusters)
  }
}

/// Where objects come from, such as a realm or a JSON file.
///
/// Several threads may use a source. Each thread reads parts with its own cursor.
public protocol ObjectSource<Failure>: Sendable {
  associatedtype Failure: Error
  associatedtype Cursor: ObjectCursor where Cursor.Failure == Failure

  var schema: ObjectSchema { get }
  /// Positions of the classes whose objects are read, in the order of the output.
  var classes: [Int] { get }
  /// The number of objects, if it is known before reading.
  var objectCount: Int { get }

  /// The parts, in the order of ``classes``.
  func parts() throws(Failure) -> [ObjectPart]

  /// A cursor for one thread.
  func makeCursor() throws(Failure) -> Cursor

  /// Takes the cursors' reports, one at a time and in the order of the parts.
  ///
  /// - Throws: errors that only the parts together show.
  func accept(_ report: PartReport, of part: ObjectPart) throws(Failure)
}

/// Reads the objects of parts, batch by batch. Used by one thread.
public protocol ObjectCursor {
  associatedtype Failure: Error

  /// Goes to the start of `part`.
  mutating func open(_ part: ObjectPart) throws(Failure)

  /// The next batch of the part, or nil after the last one.
  mutating func next() throws(Failure) -> ObjectBatch?

  /// Ends the part and returns its report.
  mutating func close() -> PartReport
}
