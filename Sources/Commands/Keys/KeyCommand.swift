internal import CSystem
internal import RealmStorage

/// A command of the user that prints the key of a realm, such as a password manager.
enum KeyCommand {
  /// The most bytes of the output that are read: more than any notation of a key needs.
  private static let outputByteCount = 64 << 10

  /// Runs `command` with `/bin/sh -c` and reads the key from its standard output.
  ///
  /// The command has the standard input and error of this process, so it can ask for a password,
  /// and finds the realm's path in `REALM_CLI_PATH`.
  ///
  /// - Throws: `sourceFailed` if the command cannot be run or fails, `unusable` if it does not print a
  ///   key; with the path of the realm.
  static func run(_ command: String, realm path: String) throws(KeyError) -> RealmKey {
    var output = [UInt8](repeating: 0, count: outputByteCount)
    var count = 0
    let status = unsafe output.withUnsafeMutableBytes { buffer in
      unsafe csystem_capture(
        command, "REALM_CLI_PATH=" + path, buffer.baseAddress, buffer.count, &count)
    }
    // The only copy of the key that nobody else wipes.
    defer { for i in output.indices { output[i] = 0 } }
    guard status >= 0 else {
      throw KeyError(.sourceFailed("the key command cannot be started"), path: path)
    }
    guard status == 0 else {
      throw KeyError(.sourceFailed("the key command ended with status \(status)"), path: path)
    }
    do throws(KeyError) {
      var text = Array(output[..<count])
      return try KeyText.parse(&text)
    } catch {
      throw error.adding(path: path)
    }
  }
}
