import RealmStorage
import RealmModel
import RealmInterchange
import Glibc
do {
  let a = CommandLine.arguments
  var key: RealmKey?
  if a.count > 3 { key = try RealmKey(bytes: try FileDescriptor.openForReading(a[3]).read(at: 0, count: 100)) }
  let realm = try Realm(Snapshot(path: a[2], key: key))
  if a[1] == "schema" {
    var t = TextBuffer(); CoreSchemaText.append(realm.schema, to: &t)
    t.withUnsafeBytes { b in _ = write(1, b.baseAddress, b.count) }
  } else {
  let jobs = Int(getenv("JOBS").map { String(cString: $0) } ?? "1") ?? 1
  let e = try ObjectExport(realm, format: ObjectTextFormat(rawValue: a[1])!)
  _ = try e.run(jobs: jobs, sink: { t in t.withUnsafeBytes { b in var o = 0; while o < b.count { let n = write(1, b.baseAddress! + o, b.count - o); o += n } } }, progress: { _ in })
  }
} catch { print("\(error)"); exit(1) }
