import RealmModel
import RealmStorage
import Synchronization

/// Writes objects in a text format: the frame of the format, and the parts in order.
///
/// Not generic, because its caller, the object road, is compiled in another module. Writers
/// specialized inside this module are twice as fast.
final class ObjectTextSink: ObjectSink {
  typealias Failure = RealmFileError

  typealias Report = WrittenObjects

  private struct State: ~Copyable {
    var schema = ObjectSchema(classes: [])
    var classes: [Int] = []
    /// Number of objects of each started class; the last class is still open.
    var counts: [Int] = []
    /// True while the output of a part continues.
    var isInPart = false
    /// The bytes between the parts.
    var frame = TextBuffer(capacity: 1 << 12)
    /// The output of the frame and the parts; nil before the first class if nothing precedes it.
    var output: (any OutputSink & Sendable)?
    var losses = FormatLosses()
  }

  private let framing: any TextFraming
  private let makeWriter: @Sendable (ObjectSchema) -> BatchWriter
  private let outputs: any TextOutputs
  private let steps: TextSteps
  private let state = Mutex(State())
  /// Empty pieces for reuse. Outside `state`, which is locked during writes.
  private let spares = Mutex<[OutputPiece]>([])

  init<Style: TextStyle, Framing: TextFraming>(
    _ style: Style, _ framing: Framing, to outputs: any TextOutputs, _ steps: TextSteps
  ) {
    (self.framing, self.outputs, self.steps) = (framing, outputs, steps)
    makeWriter = { schema in
      let writer = ObjectTextWriter(style, schema: schema, steps)
      return { (batch, isFirst, target) throws(RealmFileError) in
        let prefix = framing.objectPrefix(schema.classes[batch.classPosition])
        var isFirst = isFirst
        try writer.append(
          batch, to: &target,
          begin: { text in
            if !isFirst { framing.appendSeparator(isFirst: false, to: &text) }
            isFirst = false
            text.append(bytes: prefix)
          },
          end: { framing.appendObjectEnd(to: &$0) })
      }
    }
  }

  /// - Parameter makeWriter: makes a writer for a format without an ``ObjectTextWriter``.
  init(
    _ framing: any TextFraming, to outputs: any TextOutputs, _ steps: TextSteps,
    makeWriter: @escaping @Sendable (ObjectSchema) -> BatchWriter
  ) {
    (self.framing, self.outputs, self.makeWriter) = (framing, outputs, makeWriter)
    self.steps = steps
  }

  func begin(_ schema: ObjectSchema, classes: [Int]) throws(RealmFileError) {
    try state.withLock { (state) throws(RealmFileError) in
      (state.schema, state.classes) = (schema, classes)
      state.output = try outputs.output(for: nil)
      framing.appendDocumentStart(classes, of: schema, to: &state.frame)
    }
  }

  func makeEncoder() -> ObjectTextEncoder {
    ObjectTextEncoder(
      makeWriter(state.withLock { $0.schema }), steps,
      spare: { [self] in spares.withLock { $0.popLast() } ?? OutputPiece() })
  }

  func accept(
    _ output: OutputPiece, of part: ObjectPart, isLast: Bool
  ) throws(RealmFileError) {
    try state.withLock { (state) throws(RealmFileError) in
      try advance(to: part.classPosition, &state)
      if !state.isInPart, !output.buffer.isEmpty {
        framing.appendSeparator(isFirst: state.counts.last == 0, to: &state.frame)
      }
      state.isInPart = !isLast
      if let last = state.counts.indices.last { state.counts[last] += output.objectCount }
      state.losses += output.losses
      try flush(&state)
      if let sink = state.output { try output.buffer.flush(to: sink) }
    }
    guard isLast else { return }
    output.reset()
    spares.withLock { $0.append(output) }
  }

  /// Ends the classes before `position`, and starts it.
  private func advance(to position: Int?, _ state: inout State) throws(RealmFileError) {
    while position == nil || state.counts.isEmpty
      || state.classes[state.counts.count - 1] != position
    {
      if !state.counts.isEmpty { framing.appendClassEnd(to: &state.frame) }
      guard state.counts.count < state.classes.count else { return }
      let next = state.schema.classes[state.classes[state.counts.count]]
      if let output = try outputs.output(for: next), output !== state.output {
        try flush(&state)
        state.output = output
      }
      framing.appendClassStart(next, isFirst: state.counts.isEmpty, to: &state.frame)
      state.counts.append(0)
    }
  }

  private func flush(_ state: inout State) throws(RealmFileError) {
    if let output = state.output { try state.frame.flush(to: output) }
    state.frame.removeAll()
  }

  func finish() throws(RealmFileError) -> Report {
    try state.withLock { (state) throws(RealmFileError) in
      try advance(to: nil, &state)
      let counts = zip(state.classes, state.counts).map {
        (objectClass: state.schema.classes[$0], objects: $1)
      }
      framing.appendDocumentEnd(counts, to: &state.frame)
      try flush(&state)
      return WrittenObjects(counts: counts, losses: state.losses)
    }
  }
}

/// Appends the objects of a batch to a target.
///
/// The second parameter is true for the first batch of a part, because the sink writes the separator before
/// its first object.
typealias BatchWriter = (ObjectBatch, Bool, inout TextTarget) throws(RealmFileError) -> Void

/// Writes the batches of parts in a text format. Used by one thread.
final class ObjectTextEncoder: ObjectEncoder {
  typealias Failure = RealmFileError

  private let write: BatchWriter
  private let steps: TextSteps
  private let spare: () -> OutputPiece
  private var target: TextTarget
  private var objectCount = 0

  init(
    _ write: @escaping BatchWriter, _ steps: TextSteps, spare: @escaping () -> OutputPiece
  ) {
    (self.write, self.steps, self.spare) = (write, steps, spare)
    target = TextTarget(steps)
  }

  func begin(_ part: ObjectPart, _ outlet: PartOutlet<OutputPiece, RealmFileError>) {
    objectCount = 0
    target.relief = TextRelief(outlet, steps)
  }

  func encode(_ batch: ObjectBatch) throws(RealmFileError) {
    guard target.relief?.isStopped != true else { return }
    try write(batch, objectCount == 0, &target)
    objectCount += batch.count
    if let failure = target.relief?.failure { throw failure }
  }

  func end() -> OutputPiece {
    target.relief = nil
    let piece = spare()
    swap(&piece.buffer, &target.text)
    (piece.objectCount, piece.losses) = (objectCount, target.losses)
    target.losses = FormatLosses()
    return piece
  }

  static func weight(of output: OutputPiece) -> Int { output.byteCount }
}
