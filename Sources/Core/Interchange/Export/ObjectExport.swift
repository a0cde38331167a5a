package import RealmModel
package import RealmStorage
import Synchronization

/// Writes the objects of a realm as one text, with as many threads as asked for: the same bytes
/// whatever their number.
package struct ObjectExport: Sendable {
  /// Clusters in one piece of work: about a quarter of a megabyte of text for ordinary objects.
  private static let clustersPerPiece = 2

  let realm: Realm
  let format: ObjectTextFormat
  /// What a document says about itself; used by Realm JSON alone.
  let head: RealmJSONHead
  /// Tables whose objects are written, in the order of the document.
  let tables: [Table]

  /// What an export wrote.
  package struct Report: Sendable {
    /// Objects of each table, in the order of the document.
    package internal(set) var counts: [(table: Table, objects: Int)] = []
    /// Members of sets left out because they equal another one: old formats and sets with NaN hold such.
    package internal(set) var duplicateMembers = 0
  }

  /// - Parameters:
  ///   - tables: some of ``tables(of:format:)``, without those of embedded objects; nil for all.
  /// - Throws: `damaged` where the schema version cannot be read.
  package init(
    _ realm: Realm, format: ObjectTextFormat, tables: [Table]? = nil
  ) throws(RealmFileError) {
    self.realm = realm
    self.format = format
    // Embedded objects stand where they are owned.
    self.tables =
      tables
      ?? ObjectExport.tables(of: realm.schema, format: format).filter { $0.kind != .embedded }
    head = RealmJSONHead(
      schemaVersion: try realm.schemaVersion(), isPartial: tables != nil)
  }

  /// The tables that a text of `format` is about: the texts of the reference have the tables that
  /// Realm keeps for itself.
  package static func tables(of schema: Schema, format: ObjectTextFormat) -> [Table] {
    format.isCore ? schema.tables : schema.classes
  }

  /// Objects in all, as the tables say.
  package var objectCount: Int { tables.reduce(0) { $0 &+ $1.objectCount } }

  /// A part of the document.
  private enum Piece {
    case text([UInt8])
    case objects(table: Int, clusters: ArraySlice<ClusterPosition>, isFirst: Bool)
  }

  /// Writes the document.
  ///
  /// - Parameters:
  ///   - jobs: number of threads.
  ///   - sink: takes the text in order, from changing threads, one at a time.
  ///   - progress: told the number of objects done, from changing threads.
  /// - Throws: `damaged`, the errors of an encrypted source, or what `sink` throws.
  package func run(
    jobs: Int, into sink: any OutputSink & Sendable, progress: @Sendable (Int) -> Void
  ) throws(RealmFileError) -> Report {
    switch format {
    case .json:
      try run(RealmJSONStyle(schema: realm.schema), JSONFraming(head), jobs, sink, progress)
    case .ndjson:
      try run(RealmJSONStyle(schema: realm.schema), NDJSONFraming(head), jobs, sink, progress)
    case .coreJSON: try run(CoreStyle(mode: .json), CoreFraming(), jobs, sink, progress)
    case .coreXJSON: try run(CoreStyle(mode: .xjson), CoreFraming(), jobs, sink, progress)
    case .coreXJSONPlus: try run(CoreStyle(mode: .xjsonPlus), CoreFraming(), jobs, sink, progress)
    }
  }

  private func run<Style: TextStyle, Framing: TextFraming>(
    _ style: Style, _ framing: Framing, _ jobs: Int,
    _ sink: any OutputSink & Sendable, _ progress: @Sendable (Int) -> Void
  ) throws(RealmFileError) -> Report {
    let pieces = try pieces(framing, emptiesAsymmetric: style.imitatesUpgrade)
    let output = OrderedOutput(pieceCount: pieces.count, jobs: jobs, sink: sink)
    let totals = Totals(tableCount: tables.count)
    try output.run { () throws(RealmFileError) in
      let writer = ObjectWriter(reader: try RealmReader(realm), style: style)
      var text = PieceText()
      var prepared = PreparedColumns()
      while let piece = output.take() {
        switch pieces[piece] {
        case .text(let bytes): text.buffer.append(bytes: bytes)
        case .objects(let table, let clusters, var isFirst):
          let prefix = framing.objectPrefix(tables[table])
          for position in clusters {
            let count = try writer.write(
              position, of: tables[table], using: &prepared, into: &text.buffer,
              begin: { (text) throws(RealmFileError) in
                framing.appendSeparator(isFirst: isFirst, to: &text)
                isFirst = false
                text.append(bytes: prefix)
              },
              end: { (text) throws(RealmFileError) in
                framing.appendObjectEnd(to: &text)
                try output.drain(&text, of: piece)
              },
              drain: { (text) throws(RealmFileError) in try output.drain(&text, of: piece) })
            totals.add(count, table: table)
          }
        }
        text = try output.finish(text, of: piece)
        progress(totals.objects)
      }
      totals.add(duplicates: writer.droppedDuplicates)
    }
    var report = Report()
    report.counts = zip(tables, totals.counts).map { ($0, $1) }
    report.duplicateMembers = totals.duplicates
    var text = TextBuffer()
    framing.appendDocumentEnd(report, to: &text)
    try text.flush(to: sink)
    return report
  }
}

extension ObjectExport {
  /// The document as pieces of about equal work.
  private func pieces(
    _ framing: some TextFraming, emptiesAsymmetric: Bool
  ) throws(RealmFileError) -> [Piece] {
    let reader = try RealmReader(realm)
    var pieces: [Piece] = []
    var text = TextBuffer()
    framing.appendDocumentStart(tables, of: realm.schema, to: &text)
    for (i, table) in tables.enumerated() {
      framing.appendTableStart(table, isFirst: i == 0, to: &text)
      pieces.append(.text(text.bytes))
      text.removeAll()
      // An upgrade of format 22 by the reference deletes the objects of asymmetric classes (chapter
      // 3, section 10.2).
      let isEmptied =
        emptiesAsymmetric && table.kind == .asymmetric
        && realm.snapshot.format < ObjectExport.firstFormatWithAsymmetricObjects
      let clusters = isEmptied ? [] : try reader.clusters(of: table)
      for start in stride(from: 0, to: clusters.count, by: ObjectExport.clustersPerPiece) {
        let end = min(start + ObjectExport.clustersPerPiece, clusters.count)
        pieces.append(.objects(table: i, clusters: clusters[start..<end], isFirst: start == 0))
      }
      framing.appendTableEnd(to: &text)
    }
    pieces.append(.text(text.bytes))
    return pieces
  }

  private static let firstFormatWithAsymmetricObjects = 23
}

/// What the workers of an export have done.
private final class Totals: Sendable {
  private struct State {
    var counts: [Int]
    var objects = 0
    var duplicates = 0
  }

  private let state: Mutex<State>

  init(tableCount: Int) {
    state = Mutex(State(counts: Array(repeating: 0, count: tableCount)))
  }

  func add(_ objects: Int, table: Int) {
    state.withLock {
      $0.counts[table] += objects
      $0.objects += objects
    }
  }

  func add(duplicates: Int) { state.withLock { $0.duplicates += duplicates } }

  var counts: [Int] { state.withLock { $0.counts } }
  var objects: Int { state.withLock { $0.objects } }
  var duplicates: Int { state.withLock { $0.duplicates } }
}
