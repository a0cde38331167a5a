package import RealmModel
package import RealmStorage

/// The text formats that hold the objects of a realm (CLI contract, section 3).
public enum ObjectTextFormat: String, Sendable, CaseIterable {
  case json
  case ndjson
  case coreJSON = "core-json"
  case coreXJSON = "core-xjson"
  case coreXJSONPlus = "core-xjson-plus"

  /// True for the texts of the reference implementation, which show internal tables too.
  public var isCore: Bool { self != .json && self != .ndjson }

  /// The form in which data of old formats appears: Realm JSON shows the form of format 24, the
  /// texts of the reference show it as the reference does.
  package var normalization: ObjectRequest.Normalization { isCore ? .referenceUpgrade : .format24 }

  /// Writes the objects of `source` in this format.
  ///
  /// - Parameters:
  ///   - head: the facts in the head of the document; for Realm JSON only.
  ///   - jobs: number of threads.
  ///   - output: receives the text in order, from changing threads, one at a time.
  ///   - progress: receives the number of objects written, from changing threads, one at a time.
  /// - Returns: number of objects of each class, in the order of the document.
  /// - Throws: the errors of the source and of `output`.
  package func write<Source: ObjectSource>(
    _ source: Source, _ head: RealmJSONHead, jobs: Int, to output: any OutputSink & Sendable,
    progress: @escaping @Sendable (Int) -> Void
  ) throws(RoadError<Source.Failure, RealmFileError>) -> [(objectClass: ObjectClass, objects: Int)]
  {
    try ObjectRoad(from: source, to: sink(head, output), jobs: jobs).run(progress: progress)
  }

  /// A sink for this format. Separate from the generic ``write(_:_:jobs:to:progress:)``: writers
  /// are specialized for each style only where all types are known.
  private func sink(
    _ head: RealmJSONHead, _ output: any OutputSink & Sendable
  ) -> ObjectTextSink {
    switch self {
    case .json: ObjectTextSink(RealmJSONStyle(), JSONFraming(head), to: output)
    case .ndjson: ObjectTextSink(RealmJSONStyle(), NDJSONFraming(head), to: output)
    case .coreJSON: ObjectTextSink(CoreStyle(mode: .json), CoreFraming(), to: output)
    case .coreXJSON: ObjectTextSink(CoreStyle(mode: .xjson), CoreFraming(), to: output)
    case .coreXJSONPlus: ObjectTextSink(CoreStyle(mode: .xjsonPlus), CoreFraming(), to: output)
    }
  }
}
