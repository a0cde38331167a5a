package import RealmStorage

/// A part of a source: objects of one class that one thread reads. Parts are in document order, and the
/// parts of one class are consecutive.
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

/// What reading a part found, apart from its objects.
public struct PartReport: Sendable {
  /// Objects that were read.
  public var objectCount = 0
  /// Members of sets that were left out because they equal another member. Sets of old formats and sets
  /// with NaN contain such members.
  public var duplicateMembers = 0
  /// What could not be read and was left out, if the request allows that.
  package var losses = Findings(limit: 0)
  /// The objects and values that ``losses`` are about.
  package var lost: [LostValues] = []
  /// Objects that lack a value, values that are lost or incomplete, and links whose target is lost, as
  /// ``SalvageSource`` counts them.
  package var (partialObjects, lostValues, lostLinks) = (0, 0, 0)
  /// Values and lost objects that come from older versions.
  package var (filledValues, filledObjects) = (0, 0)
  /// Objects in freed space, and those of them that lack a value.
  package var (freedObjects, freedPartial) = (0, 0)
  /// Bytes of the nodes that were opened as parts of the tree.
  package var openedByteCount = 0
  /// Embedded objects that were read, each with its owner.
  package var claims = EmbeddedClaims()

  public init(objectCount: Int = 0) { self.objectCount = objectCount }
}

/// Where objects come from: for example a realm or a text.
///
/// Several threads may use a source; each thread reads parts with its own cursor.
public protocol ObjectSource<Failure>: Sendable {
  associatedtype Failure: Error
  associatedtype Cursor: ObjectCursor where Cursor.Failure == Failure

  var schema: ObjectSchema { get }
  /// Positions of the classes whose objects are read, in document order.
  var classes: [Int] { get }
  /// Total number of objects, as far as it is known before reading.
  var objectCount: Int { get }

  /// The parts, in the order of ``classes``.
  func parts() throws(Failure) -> [ObjectPart]

  /// A cursor for one thread.
  func makeCursor() throws(Failure) -> Cursor

  /// Takes the cursors' report of each part, one at a time and in the order of the parts.
  ///
  /// - Throws: errors that only all parts together show.
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

/// Where objects go: for example a text or a new realm.
public protocol ObjectSink<Failure>: Sendable {
  associatedtype Failure: Error
  associatedtype Encoder: ObjectEncoder where Encoder.Failure == Failure
  associatedtype Report

  /// Starts the output. `classes` are the positions of the classes whose objects will come, in this
  /// order.
  func begin(_ schema: ObjectSchema, classes: [Int]) throws(Failure)

  /// An encoder for one thread.
  func makeEncoder() -> Encoder

  /// Takes output, one piece at a time and in the order of the parts.
  ///
  /// - Parameter isLast: false if the part continues after this piece.
  func accept(_ output: Encoder.Output, of part: ObjectPart, isLast: Bool) throws(Failure)

  /// Ends the output.
  func finish() throws(Failure) -> Report
}

/// Encodes the batches of parts. Used by one thread.
public protocol ObjectEncoder {
  associatedtype Failure: Error
  /// The encoded output of a part; it may move between threads.
  associatedtype Output

  /// Starts a part.
  mutating func begin(_ part: ObjectPart, _ outlet: PartOutlet<Output, Failure>)

  /// Encodes a batch of the part. Hands over long output through the outlet.
  mutating func encode(_ batch: ObjectBatch) throws(Failure)

  /// Ends the part and returns its remaining output.
  mutating func end() throws(Failure) -> Output

  /// The approximate number of bytes that `output` takes in memory while it waits for its turn.
  static func weight(of output: Output) -> Int
}

/// Changes a schema and the batches of its classes.
public protocol ObjectTransform: Sendable {
  associatedtype Failure: Error

  func transform(_ schema: ObjectSchema) throws(Failure) -> ObjectSchema

  /// The batch of the new schema's class, made from a batch of the class in the same position of the old
  /// schema.
  func transform(_ batch: ObjectBatch) throws(Failure) -> ObjectBatch
}
