import RealmModel

/// Batches that come from no file, each a part of its own; those of one class follow one another.
struct HandMadeBatches: ObjectSource {
  typealias Failure = Never

  let schema: ObjectSchema
  let batches: [ObjectBatch]
  /// The classes of the batches, in their order.
  var classes: [Int] {
    batches.map(\.classPosition).reduce(into: []) { if $0.last != $1 { $0.append($1) } }
  }
  var objectCount: Int { batches.reduce(0) { $0 + $1.count } }

  func parts() -> [ObjectPart] {
    batches.enumerated().map { ObjectPart(classPosition: $1.classPosition, number: $0) }
  }
  func makeCursor() -> Cursor { Cursor(batches: batches) }
  func accept(_ report: PartReport, of part: ObjectPart) {}

  struct Cursor: ObjectCursor {
    typealias Failure = Never

    let batches: [ObjectBatch]
    private var part = 0
    private var isGiven = false

    init(batches: [ObjectBatch]) { self.batches = batches }

    mutating func open(_ part: ObjectPart) { (self.part, isGiven) = (part.number, false) }

    mutating func next() -> ObjectBatch? {
      defer { isGiven = true }
      return isGiven ? nil : batches[part]
    }

    mutating func close() -> PartReport { PartReport(objectCount: batches[part].count) }
  }
}
