package import RealmModel
package import RealmStorage

/// The text formats for the objects of a realm (`docs/formats.md`).
public enum ObjectTextFormat: String, Sendable, CaseIterable {
  case json
  case ndjson
  case coreJSON = "core-json"
  case coreXJSON = "core-xjson"
  case coreXJSONPlus = "core-xjson-plus"
  case ejson
  case plain
  case csv

  /// True for the formats of the reference implementation, which include internal tables.
  public var isCore: Bool { self == .coreJSON || self == .coreXJSON || self == .coreXJSONPlus }

  /// The file extension of a format with one file per class; nil for other formats.
  public var fileExtension: String? {
    switch self {
    case .ejson: "ndjson"
    case .csv: "csv"
    case .json, .ndjson, .coreJSON, .coreXJSON, .coreXJSONPlus, .plain: nil
    }
  }

  /// How data of old file formats appears: as in format 24; in the formats of the reference, as the reference
  /// upgrades it.
  package var normalization: ObjectRequest.Normalization { isCore ? .referenceUpgrade : .format24 }

  /// Writes the objects of `source` in this format.
  ///
  /// - Parameters:
  ///   - head: the facts in the head of the document; for Realm JSON only.
  ///   - jobs: number of threads.
  ///   - outputs: receives the output in order. Called from different threads, one call at a time.
  ///   - steps: how much is written at a time.
  ///   - progress: receives the number of finished objects. Called from different threads, one call at a
  ///     time.
  /// - Throws: the errors of the source and of `outputs`.
  package func write<Source: ObjectSource>(
    _ source: Source, _ head: RealmJSONHead, jobs: Int, to outputs: any TextOutputs,
    _ steps: TextSteps = TextSteps(), progress: @escaping @Sendable (Int) -> Void
  ) throws(RoadError<Source.Failure, RealmFileError>) -> WrittenObjects {
    try ObjectRoad(from: source, to: sink(head, outputs, steps), jobs: jobs).run(progress: progress)
  }

  /// A sink for this format. Separate from the generic ``write(_:_:jobs:to:progress:)``: writers
  /// are specialized for each style only where all types are known.
  private func sink(
    _ head: RealmJSONHead, _ outputs: any TextOutputs, _ steps: TextSteps
  ) -> ObjectTextSink {
    switch self {
    case .json: ObjectTextSink(RealmJSONStyle(), JSONFraming(head), to: outputs, steps)
    case .ndjson: ObjectTextSink(RealmJSONStyle(), NDJSONFraming(head), to: outputs, steps)
    case .coreJSON: ObjectTextSink(CoreStyle(mode: .json), CoreFraming(), to: outputs, steps)
    case .coreXJSON: ObjectTextSink(CoreStyle(mode: .xjson), CoreFraming(), to: outputs, steps)
    case .coreXJSONPlus:
      ObjectTextSink(CoreStyle(mode: .xjsonPlus), CoreFraming(), to: outputs, steps)
    case .ejson: ObjectTextSink(EJSONStyle(), LineFraming(), to: outputs, steps)
    case .plain: ObjectTextSink(PlainStyle(), PlainFraming(), to: outputs, steps)
    case .csv: .fields(.commas, to: outputs, steps)
    }
  }
}
