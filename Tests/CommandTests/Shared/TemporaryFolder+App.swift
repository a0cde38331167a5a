import TestSupport
import Testing

extension TemporaryFolder {
  /// Makes the folder of an app with a list of users (chapter 4, section 7.1).
  ///
  /// - Parameter path: of the app's folder, such as `mongodb-realm/<app id>`, in this folder.
  func writeApp(_ path: String, users: [String]) throws {
    let rows = users.enumerated().map {
      #"{"_key":\#($0),"identity":"\#($1)","state":1,"refresh_token":"a.b.c","access_token":"a.b.c"}"#
    }
    let text =
      #"{"realm":{"format":"realm-json","version":1,"schemaVersion":7},"schema":[{"name":"UserMetadata","#
      + #""keyMember":"_key","properties":{"identity":"string","state":"int","refresh_token":"string?","#
      + #""access_token":"string?"}}],"objects":{"UserMetadata":["# + rows.joined(separator: ",")
      + "]}}"
    let metadata = "\(path)/server-utility/metadata"
    try write(Array(text.utf8), to: "\(metadata)/users.json")
    let result = try runTool(
      "import", "\(metadata)/users.json", "-o", "\(metadata)/sync_metadata.realm", folder: url)
    try #require(result.status == 0, "\(result.stderr)")
  }
}
