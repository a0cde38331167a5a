package import RealmModel
package import RealmStorage

/// The text formats for the result of a query.
public enum RowTextFormat: String, Sendable, CaseIterable {
  /// An array of objects in the form of Realm JSON.
  case json
  /// An object in the form of Realm JSON per line.
  case ndjson
  /// A line with the names of the properties, then one line of comma-separated values per object
  /// (RFC 4180).
  case csv
  /// Like `csv`, with tabs between the values.
  case tsv
  /// Like `tsv`, for people: also shows numbers that are not finite and dates outside the years 1 to 9999.
  case table
  /// The identity of an object per line, in the form of Realm JSON: the primary key or the object key.
  case ids

  /// Writes the objects of `source`, which has one class, in this format.
  ///
  /// - Parameters:
  ///   - jobs: number of threads.
  ///   - outputs: receives the output. Called from different threads, one call at a time.
  ///   - steps: how much is written at a time.
  /// - Throws: the errors of the source and of `outputs`.
  package func write<Source: ObjectSource>(
    _ source: Source, jobs: Int, to outputs: any TextOutputs, _ steps: TextSteps = TextSteps()
  ) throws(RoadError<Source.Failure, RealmFileError>) -> WrittenObjects {
    try ObjectRoad(from: source, to: sink(outputs, steps), jobs: jobs).run()
  }

  private func sink(_ outputs: any TextOutputs, _ steps: TextSteps) -> ObjectTextSink {
    switch self {
    case .json: ObjectTextSink(RealmJSONStyle(), ListFraming(), to: outputs, steps)
    case .ndjson: ObjectTextSink(RealmJSONStyle(), LineFraming(), to: outputs, steps)
    case .csv: .fields(.commas, to: outputs, steps)
    case .tsv: .fields(.tabs, to: outputs, steps)
    case .table: .fields(.tabs, PlainStyle(showsAllValues: true), to: outputs, steps)
    case .ids:
      ObjectTextSink(LineFraming(), to: outputs, steps) { schema in
        let writer = IdentityWriter(schema)
        return { (batch, _, target) throws(RealmFileError) in
          try writer.append(batch, to: &target)
        }
      }
    }
  }
}

extension ObjectTextSink {
  /// A sink for lines of fields.
  static func fields(
    _ form: FieldForm, _ style: PlainStyle = PlainStyle(), to outputs: any TextOutputs,
    _ steps: TextSteps
  ) -> ObjectTextSink {
    ObjectTextSink(FieldFraming(form: form), to: outputs, steps) { schema in
      let writer = FieldWriter(schema, form, style)
      return { (batch, _, target) throws(RealmFileError) in
        try writer.append(batch, to: &target)
      }
    }
  }
}

/// Writes the identities of objects, one per line, in the form of Realm JSON. Used by one thread.
private final class IdentityWriter {
  private let writer: ObjectTextWriter<RealmJSONStyle>
  private let schema: ObjectSchema

  init(_ schema: ObjectSchema) {
    self.schema = schema
    writer = ObjectTextWriter(RealmJSONStyle(), schema: schema)
  }

  /// Appends the primary keys of the objects of `batch`, or their object keys if the class has no primary
  /// key.
  ///
  /// - Throws: the errors of reading a batch.
  func append(_ batch: ObjectBatch, to target: inout TextTarget) throws(RealmFileError) {
    let objectClass = schema.classes[batch.classPosition]
    let primaryKey = objectClass.primaryKey
    for row in 0..<batch.count {
      if let primaryKey, let column = batch.columns[primaryKey] {
        _ = try writer.append(
          column, row..<(row + 1), of: objectClass.properties[primaryKey], prefix: writer.nothing,
          to: &target)
      } else if row < batch.keys.count {
        target.text.append(decimal: batch.keys[row].raw)
      }
      target.text.append("\n")
      target.relieve()
    }
  }
}
