import Foundation
import RealmBuilding
import RealmModel
import RealmStorage

// Writes a realm with the objects of another one several times, for measurements: see `RepeatedSource`.
//
//     repeat-realm <realm> <copies> <new realm>

guard CommandLine.arguments.count == 4, let copies = Int(CommandLine.arguments[2]), copies > 0,
  copies < 256
else {
  FileHandle.standardError.write(Data("repeat-realm <realm> <copies, 1 to 255> <new realm>\n".utf8))
  exit(64)
}
let threads = ProcessInfo.processInfo.activeProcessorCount
let realm = try Realm(path: CommandLine.arguments[1])
let file = try OutputFile(path: CommandLine.arguments[3], replacing: true)
var request = RealmBuilder.Request()
request.schemaVersion = try realm.schemaVersion()
request.jobs = threads
let builder = RealmBuilder(into: try RealmOutput(.file(file), key: nil), request)
let source = try RepeatedSource(realm, copies: copies)
_ = try ObjectRoad(from: source, to: builder, jobs: threads).run()
try file.publish()
