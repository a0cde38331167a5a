import RealmModel
import RealmStorage
import Synchronization

/// Writes objects as one text: what stands around them in the format, and the parts in order.
final class ObjectTextSink<Style: TextStyle, Framing: TextFraming>: ObjectSink {
  typealias Failure = RealmFileError

  /// Objects of each class that were written, in the order of the document.
  typealias Report = [(objectClass: ObjectClass, objects: Int)]

  private struct State: ~Copyable {
    var schema = ObjectSchema(classes: [])
    var classes: [Int] = []
    /// Objects of the classes that were begun: the last one is open.
    var counts: [Int] = []
    /// True where a part goes on.
    var isInPart = false
    /// What stands between the parts.
    var frame = TextBuffer(capacity: 1 << 12)
  }

  private let style: Style
  private let framing: Framing
  private let output: any OutputSink & Sendable
  private let state = Mutex(State())
  /// Emptied texts. Apart from the state, which is locked while text is written out.
  private let spares = Mutex<[PieceText]>([])

  init(_ style: Style, _ framing: Framing, to output: any OutputSink & Sendable) {
    (self.style, self.framing, self.output) = (style, framing, output)
  }

  func begin(_ schema: ObjectSchema, classes: [Int]) {
    state.withLock { state in
      (state.schema, state.classes) = (schema, classes)
      framing.appendDocumentStart(classes, of: schema, to: &state.frame)
    }
  }

  func makeEncoder() -> ObjectTextEncoder<Style, Framing> {
    ObjectTextEncoder(
      ObjectTextWriter(style, schema: state.withLock { $0.schema }), framing,
      spare: { [self] in spares.withLock { $0.popLast() } ?? PieceText() })
  }

  func accept(
    _ output: PieceText, of part: ObjectPart, isLast: Bool
  ) throws(RealmFileError) {
    try state.withLock { (state) throws(RealmFileError) in
      advance(to: part.classPosition, &state)
      if !state.isInPart, !output.buffer.isEmpty {
        framing.appendSeparator(isFirst: state.counts.last == 0, to: &state.frame)
      }
      state.isInPart = !isLast
      if let last = state.counts.indices.last { state.counts[last] += output.objectCount }
      try flush(&state)
      try output.buffer.flush(to: self.output)
    }
    guard isLast else { return }
    output.reset()
    spares.withLock { $0.append(output) }
  }

  /// Ends the classes before `position`, and starts it.
  private func advance(to position: Int?, _ state: inout State) {
    while position == nil || state.counts.isEmpty
      || state.classes[state.counts.count - 1] != position
    {
      if !state.counts.isEmpty { framing.appendClassEnd(to: &state.frame) }
      guard state.counts.count < state.classes.count else { return }
      let next = state.schema.classes[state.classes[state.counts.count]]
      framing.appendClassStart(next, isFirst: state.counts.isEmpty, to: &state.frame)
      state.counts.append(0)
    }
  }

  private func flush(_ state: inout State) throws(RealmFileError) {
    try state.frame.flush(to: output)
    state.frame.removeAll()
  }

  func finish() throws(RealmFileError) -> Report {
    try state.withLock { (state) throws(RealmFileError) in
      advance(to: nil, &state)
      let counts = zip(state.classes, state.counts).map {
        (objectClass: state.schema.classes[$0], objects: $1)
      }
      framing.appendDocumentEnd(counts, to: &state.frame)
      try flush(&state)
      return counts
    }
  }
}

/// Writes the batches of parts as text. Belongs to one thread.
struct ObjectTextEncoder<Style: TextStyle, Framing: TextFraming>: ObjectEncoder {
  typealias Failure = RealmFileError

  /// What is not copied with the encoder.
  private final class Work {
    var writer: ObjectTextWriter<Style>
    var target = TextTarget()

    init(_ writer: consuming ObjectTextWriter<Style>) { self.writer = writer }
  }

  private let work: Work
  private let framing: Framing
  private let spare: () -> PieceText
  private var objectPrefix: [UInt8] = []
  private var objectCount = 0

  init(
    _ writer: consuming ObjectTextWriter<Style>, _ framing: Framing,
    spare: @escaping () -> PieceText
  ) {
    work = Work(writer)
    (self.framing, self.spare) = (framing, spare)
  }

  mutating func begin(_ part: ObjectPart, _ outlet: PartOutlet<PieceText, RealmFileError>) {
    objectPrefix = framing.objectPrefix(work.writer.schema.classes[part.classPosition])
    objectCount = 0
    work.target.relief = TextRelief(outlet)
  }

  mutating func encode(_ batch: ObjectBatch) throws(RealmFileError) {
    guard work.target.relief?.isStopped != true else { return }
    // The sink writes what separates the first object of a part from the one before it.
    var isFirst = objectCount == 0
    try work.writer.append(
      batch, to: &work.target,
      begin: { text in
        if !isFirst { framing.appendSeparator(isFirst: false, to: &text) }
        isFirst = false
        text.append(bytes: objectPrefix)
      },
      end: { framing.appendObjectEnd(to: &$0) })
    objectCount += batch.count
    if let failure = work.target.relief?.failure { throw failure }
  }

  mutating func end() -> PieceText {
    work.target.relief = nil
    let piece = spare()
    swap(&piece.buffer, &work.target.text)
    piece.objectCount = objectCount
    return piece
  }

  static func weight(of output: PieceText) -> Int { output.byteCount }
}
