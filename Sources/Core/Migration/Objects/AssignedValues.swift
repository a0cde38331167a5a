package import RealmModel
package import RealmQuery
import RealmStorage

/// Evaluates assignments for single objects, as `update` does for all. Used by one thread.
package struct AssignedValues {
  private let assignments: [(property: Int, formula: Formula)]
  private let owner: ObjectClass
  private let context: MigrationContext

  /// - Parameters:
  ///   - texts: each a `property = expression`.
  ///   - position: position of the class of the objects.
  /// - Throws: ``QueryError`` with offsets in the text.
  package init(
    _ texts: [String], ofClassAt position: Int, _ realm: Realm
  ) throws(QueryError) {
    let schema = realm.schema.objects
    owner = schema.classes[position]
    var (assignments, linked): ([(property: Int, formula: Formula)], [Int: Set<Int>]) = ([], [:])
    for text in texts {
      let assignment = try Assignment(text, ofClass: position, in: schema)
      let formula = try Formula(assignment.expression, ofClass: position, in: schema)
      for place in formula.linked {
        linked[place.classPosition, default: []].insert(place.property)
      }
      assignments.append((assignment.property, formula))
    }
    self.assignments = assignments
    context = MigrationContext(
      MigrationClock(), realm, linked: linked, classNames: schema.classes.map(\.name.text))
  }

  /// The new values of an object, by position of the property.
  ///
  /// - Parameter batch: the object, in row 0, with links by object key.
  /// - Throws: ``MigrationError`` for an object that cannot get its value; the errors of reading.
  package func values(_ batch: ObjectBatch) throws -> [Int: RealmValue] {
    let run = FormulaRun(columns: batch.columns, context: context)
    var values: [Int: RealmValue] = [:]
    for (property, formula) in assignments {
      do throws(FormulaFailure) {
        let column = try run.column(formula, for: owner.properties[property], rows: [0])
        do throws(RealmFileError) {
          values[property] = try BatchColumn(column).value(at: 0)
        } catch {
          throw .file(error)
        }
      } catch {
        switch error {
        case .file(let error): throw error
        case .value(_, let message): throw failure(.value(message), property)
        case .null(_, let message): throw failure(.null(message), property)
        }
      }
    }
    return values
  }

  private func failure(_ kind: MigrationError.Kind, _ property: Int) -> MigrationError {
    var error = MigrationError(kind, className: owner.name.text)
    error.property = owner.properties[property].name.text
    return error
  }
}
