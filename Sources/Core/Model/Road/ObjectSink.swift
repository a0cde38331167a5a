/// Where objects go, such as a JSON file or a new realm.
public protocol ObjectSink<Failure>: Sendable {
  associatedtype Failure: Error
  associatedtype Encoder: ObjectEncoder where Encoder.Failure == Failure
  associatedtype Report

  /// Starts the output.
  ///
  /// - Parameter classes: positions of the classes whose objects will come, in this order.
  func begin(_ schema: ObjectSchema, classes: [Int]) throws(Failure)

  /// An encoder for one thread.
  func makeEncoder() -> Encoder

  /// Takes output, one piece at a time, in the order of the parts.
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

/// Hands over output of a part before its end, so that little output waits in memory.
public struct PartOutlet<Output, Failure: Error> {
  private let isNow: () -> Bool
  private let waiting: () -> Bool
  private let handing: (Output) throws(Failure) -> Void

  init(
    isNow: @escaping () -> Bool, waiting: @escaping () -> Bool,
    handing: @escaping (Output) throws(Failure) -> Void
  ) {
    (self.isNow, self.waiting, self.handing) = (isNow, waiting, handing)
  }

  /// Whether all earlier parts have been handed over.
  public var isTurn: Bool { isNow() }

  /// Waits until all earlier parts have been handed over.
  ///
  /// - Returns: false if an earlier part failed, so that the output of this part is not needed.
  public func wait() -> Bool { waiting() }

  /// Hands over a piece of the part. May be called only while ``isTurn`` is true.
  public func handOver(_ output: Output) throws(Failure) { try handing(output) }
}
