import RealmBuilding
import RealmInterchange
import RealmModel
import RealmStorage

/// The objects of a text as a realm in an unlinked file, for comparing and merging them with another realm.
struct StagedObjects {
  let realm: Realm
  /// Names of the classes whose objects have object keys in the text.
  let classesWithKeys: Set<Name>

  /// - Parameters:
  ///   - building: the memory, the threads and the limit of errors.
  ///   - key: encrypts the realm.
  ///   - path: path of the realm that receives the objects, for errors of writing.
  /// - Throws: ``ImportError``; the errors of writing a realm.
  init(
    _ source: TextSource, _ building: RealmBuilder.Request, key: RealmKey?, path: String
  ) throws {
    let file = try OutputFile(unlinkedBy: .system)
    var building = building
    building.separatesMissingTargets = true
    let builder = RealmBuilder(into: try RealmOutput(.file(file), key: key), building)
    do throws(RoadError<ImportError, BuildError>) {
      classesWithKeys = try ObjectRoad(from: source, to: builder, jobs: building.jobs).run()
        .classesWithKeys
    } catch {
      switch error {
      case .source(let error): throw error
      case .sink(let error):
        if case .file(let error) = error.kind { throw error.adding(path: path) }
        throw source.explain(error)
      }
    }
    realm = try Realm(
      try Snapshot(unlinked: file, key: key, cacheByteCount: building.memoryByteCount))
  }
}
