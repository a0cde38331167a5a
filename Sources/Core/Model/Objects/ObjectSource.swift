package import RealmStorage

/// A part of a source: objects of one class that one thread reads. Parts are in the order of the
/// document, and those of one class follow one another.
public struct ObjectPart: Sendable {
  /// Position of the class in the schema.
  public let classPosition: Int
  /// What the source needs to find it again.
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

/// What reading a part found besides its objects.
public struct PartReport: Sendable {
  /// Objects that were read.
  public var objectCount = 0
  /// Members of sets left out because they equal another one: old formats and sets with NaN hold such.
  public var duplicateMembers = 0
  /// What could not be read and was left out, where the request says so.
  package var losses = Findings(limit: 0)
  /// Bytes of the nodes that were opened as parts of the tree.
  package var openedByteCount = 0
  /// Embedded objects that were read, each with the place that owns it.
  package var claims = EmbeddedClaims()

  public init(objectCount: Int = 0) { self.objectCount = objectCount }
}

/// Where objects come from: a realm, a text, a realm of an old format.
///
/// A source may be used from several threads; each reads parts with a cursor of its own.
public protocol ObjectSource<Failure>: Sendable {
  associatedtype Failure: Error
  associatedtype Cursor: ObjectCursor where Cursor.Failure == Failure

  var schema: ObjectSchema { get }
  /// Positions of the classes whose objects are given, in the order of the document.
  var classes: [Int] { get }
  /// Objects in all, as far as it is known beforehand.
  var objectCount: Int { get }

  /// The parts, in the order of ``classes``.
  func parts() throws(Failure) -> [ObjectPart]

  /// A cursor for one thread.
  func makeCursor() throws(Failure) -> Cursor

  /// Takes what the cursors report of each part, one at a time in the order of the parts.
  ///
  /// - Throws: what only all parts together tell.
  func accept(_ report: PartReport, of part: ObjectPart) throws(Failure)
}

/// Reads the objects of parts, batch by batch. Belongs to one thread.
public protocol ObjectCursor {
  associatedtype Failure: Error

  /// Goes to the start of `part`.
  mutating func open(_ part: ObjectPart) throws(Failure)

  /// The next batch of the part, or nil behind the last one.
  mutating func next() throws(Failure) -> ObjectBatch?

  /// Ends the part.
  mutating func close() -> PartReport
}

/// Where objects go: a text, a new realm.
public protocol ObjectSink<Failure>: Sendable {
  associatedtype Failure: Error
  associatedtype Encoder: ObjectEncoder where Encoder.Failure == Failure
  associatedtype Report

  /// Starts with the classes whose objects will come, in this order.
  func begin(_ schema: ObjectSchema, classes: [Int]) throws(Failure)

  /// An encoder for one thread.
  func makeEncoder() -> Encoder

  /// Takes a part of the output, one at a time in the order of the parts.
  ///
  /// - Parameter isLast: false for a piece of a part that goes on.
  func accept(_ output: Encoder.Output, of part: ObjectPart, isLast: Bool) throws(Failure)

  /// Ends the output.
  func finish() throws(Failure) -> Report
}

/// Turns the batches of parts into parts of output. Belongs to one thread.
public protocol ObjectEncoder {
  associatedtype Failure: Error
  /// Output of a part, on its way from worker to worker.
  associatedtype Output

  /// Starts a part.
  mutating func begin(_ part: ObjectPart, _ outlet: PartOutlet<Output, Failure>)

  /// Encodes a batch of the part. Output that becomes long is handed over through the outlet.
  mutating func encode(_ batch: ObjectBatch) throws(Failure)

  /// Ends the part.
  mutating func end() throws(Failure) -> Output

  /// About the bytes that an output takes while it waits for its turn.
  static func weight(of output: Output) -> Int
}

/// Changes a schema and the batches of its classes.
public protocol ObjectTransform: Sendable {
  associatedtype Failure: Error

  func transform(_ schema: ObjectSchema) throws(Failure) -> ObjectSchema

  /// A batch of a class of the new schema, made of the batch of the class in the same position.
  func transform(_ batch: ObjectBatch) throws(Failure) -> ObjectBatch
}
