/// Changes a schema and the batches of its classes.
public protocol ObjectTransform: Sendable {
  associatedtype Failure: Error

  func transform(_ schema: ObjectSchema) throws(Failure) -> ObjectSchema

  /// Turns a batch of a class of the old schema into one of the class at the same position of the new schema.
  func transform(_ batch: ObjectBatch) throws(Failure) -> ObjectBatch
}

/// Why a transformed source failed: an error of the source, or of the transform.
public enum TransformFailure<SourceFailure: Error, Own: Error>: Error {
  case source(SourceFailure)
  case transform(Own)
}

/// A source that applies a transform to the schema and batches of another source.
public struct TransformedSource<Source: ObjectSource, Transform: ObjectTransform>: ObjectSource {
  public typealias Failure = TransformFailure<Source.Failure, Transform.Failure>

  private let source: Source
  private let transform: Transform
  public let schema: ObjectSchema

  /// - Throws: the transform's error for the schema.
  public init(_ source: Source, by transform: Transform) throws(Transform.Failure) {
    (self.source, self.transform) = (source, transform)
    schema = try transform.transform(source.schema)
  }

  public var classes: [Int] { source.classes }
  public var objectCount: Int { source.objectCount }

  public func parts() throws(Failure) -> [ObjectPart] {
    do { return try source.parts() } catch { throw .source(error) }
  }

  public func makeCursor() throws(Failure) -> Cursor {
    do {
      return Cursor(base: try source.makeCursor(), transform: transform)
    } catch {
      throw .source(error)
    }
  }

  public func accept(_ report: PartReport, of part: ObjectPart) throws(Failure) {
    do { try source.accept(report, of: part) } catch { throw .source(error) }
  }

  /// Reads batches and transforms them.
  public struct Cursor: ObjectCursor {
    public typealias Failure = TransformFailure<Source.Failure, Transform.Failure>

    private var base: Source.Cursor
    private let transform: Transform

    init(base: Source.Cursor, transform: Transform) {
      (self.base, self.transform) = (base, transform)
    }

    public mutating func open(_ part: ObjectPart) throws(Failure) {
      do { try base.open(part) } catch { throw .source(error) }
    }

    public mutating func next() throws(Failure) -> ObjectBatch? {
      let batch: ObjectBatch?
      do { batch = try base.next() } catch { throw .source(error) }
      guard let batch else { return nil }
      do {
        return try transform.transform(batch)
      } catch {
        throw .transform(error)
      }
    }

    public mutating func close() -> PartReport { base.close() }
  }
}
