package import RealmModel
package import RealmStorage

/// The text formats of the objects that a query found.
public enum RowTextFormat: String, Sendable, CaseIterable {
  /// An array of objects in the form of Realm JSON.
  case json
  /// An object in the form of Realm JSON per line.
  case ndjson
  /// A line with the names of the properties, then one line of comma-separated values per object
  /// (RFC 4180).
  case csv
  /// The same with tabs between the values.
  case tsv
  /// The identity of an object per line, in the form of Realm JSON: the primary key, or the object key.
  case ids

  /// Writes the objects of `source`, which has one class, in this format.
  ///
  /// - Parameters:
  ///   - jobs: number of threads.
  ///   - outputs: takes the text. Called from different threads, one call at a time.
  /// - Throws: the errors of the source, and those of `outputs`.
  package func write<Source: ObjectSource>(
    _ source: Source, jobs: Int, to outputs: any TextOutputs
  ) throws(RoadError<Source.Failure, RealmFileError>) -> WrittenObjects {
    try ObjectRoad(from: source, to: sink(outputs), jobs: jobs).run()
  }

  private func sink(_ outputs: any TextOutputs) -> ObjectTextSink {
    switch self {
    case .json: ObjectTextSink(RealmJSONStyle(), ListFraming(), to: outputs)
    case .ndjson: ObjectTextSink(RealmJSONStyle(), LineFraming(), to: outputs)
    case .csv: .fields(.commas, to: outputs)
    case .tsv: .fields(.tabs, to: outputs)
    case .ids:
      ObjectTextSink(LineFraming(), to: outputs) { schema in
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
  static func fields(_ form: FieldForm, to outputs: any TextOutputs) -> ObjectTextSink {
    ObjectTextSink(FieldFraming(form: form), to: outputs) { schema in
      let writer = FieldWriter(schema, form)
      return { (batch, _, target) throws(RealmFileError) in
        try writer.append(batch, to: &target)
      }
    }
  }
}
