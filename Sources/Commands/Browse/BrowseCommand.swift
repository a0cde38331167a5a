import ArgumentParser
import CSystem
import RealmBrowse
import RealmJobs
import RealmStorage

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `realm-cli browse`.
struct BrowseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "browse",
    abstract: "Look at realms in a web browser, and edit them.",
    discussion: """
      Serves pages on this machine only, until Ctrl-C: classes, tables of objects with queries, sorting and facets, \
      objects with their links both ways, sizes, findings of verify, the schema and the last changes. Needs no network. \
      Folders are searched for realms. docs/browse.md describes the pages.

      Without --edit, no realm can be changed. With it, changes gather in drafts, and nothing is written before you save \
      one; the first save of a realm keeps the original beside it.

      The printed URL has the key to the pages. For realms on a server, run browse there with --no-open, run the \
      printed ssh command on your own machine, and open the URL there.

      EXAMPLE: realm-cli browse people.realm
      EXAMPLE: realm-cli browse people.realm --edit
      EXAMPLE: realm-cli browse data/ --no-open --port 8000
      """)

  @OptionGroup var realms: RealmListOptions
  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var version: VersionOptions
  @OptionGroup var jobs: JobsOption
  @OptionGroup var memory: MemoryOption
  @OptionGroup var output: OutputOptions

  @Option(help: ArgumentHelp("The port to listen at (default: any free one).", valueName: "n"))
  var port = 0

  @Flag(help: "Print the URL, and do not open a browser.")
  var noOpen = false

  @Flag(help: "Allow changes of the realms.")
  var edit = false

  @Flag(help: "Keep no original of a realm that is saved.")
  var noBackup = false

  func validate() throws {
    guard edit || !noBackup else { throw ValidationError("--no-backup needs --edit") }
    guard !edit || !version.previous else {
      throw ValidationError("--edit cannot change the previous version: leave out --previous")
    }
    guard (0...65_535).contains(port) else {
      throw ValidationError("--port takes a number from 1 to 65535, not \(port)")
    }
  }

  func run() throws {
    guard !realms.realms.isEmpty || realms.filesFrom != nil else {
      throw ValidationError("name realms or folders, or a list of them with --files-from")
    }
    let search = RealmSearch(
      paths: realms.realms + (try realms.listed(keyOptions)), share: realms.shard)
    let keys = try keyOptions.keys(forRealms: search.realms.count, output)
    if realms.isOneFile { try check(search.realms[0], keys) }
    if search.realms.isEmpty { output.warn("no realms found") }
    let access = AccessGuard(allowsEditing: edit)
    let site = BrowseSite(
      realms: search.realms.map {
        BrowsedRealm(path: $0, keys: keys, cacheByteCount: memory.byteCount, jobs: jobs.count)
      }, problems: search.problems, editing: access.formToken.map(editing),
      reports: PageReports())
    let bodies = RequestBodies { access.refusal(ofHead: $0) }
    let server = try HTTPServer(port: port, bodies: bodies) { request in
      access.respond(to: request) { site.respond(to: $0) }
    }
    csystem_finish_on_interrupt()
    try announce(server, access, realms: search.realms)
    server.run()
  }

  private func editing(_ formToken: String) -> Editing {
    Editing(
      formToken: formToken, keepsOriginal: !noBackup,
      stateFolder: Environment.process.stateFolder)
  }

  /// Opens a single realm, so that a wrong path or key is an error of the command and not of a page. Damage is for the
  /// pages to show.
  private func check(_ path: String, _ keys: RealmKeys) throws {
    do {
      _ = try keys.open(path) { key in
        try InfoJob(path: path, key: key, cacheByteCount: memory.byteCount).run()
      }
    } catch {
      guard !(error.fileKind?.isAboutContent ?? false) else { return }
      throw error
    }
  }

  private func announce(_ server: HTTPServer, _ access: AccessGuard, realms: [String]) throws {
    let first = realms.count == 1 ? "/0/" : "/"
    let query = "?token=\(access.token)" + (version.previous ? "&version=previous" : "")
    let url = "http://127.0.0.1:\(server.port)\(first)\(query)"
    let start: JSONObject = ["url": url, "port": server.port, "editing": edit]
    try output.write(start) { _ in url + "\n" }
    output.note(
      "from another machine: ssh -L \(server.port):127.0.0.1:\(server.port) \(BrowseCommand.host)",
      details: (edit ? "editing is on: nothing is written before you save\n" : "")
        + "Ctrl-C ends it")
    if !noOpen { BrowserOpening.open(url) }
  }

  /// The name of this machine, for `ssh`.
  private static var host: String {
    var name = [CChar](repeating: 0, count: 256)
    guard unsafe gethostname(&name, name.count - 1) == 0 else { return "HOST" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

extension RealmFileError.Kind {
  /// Whether the error is about what is in the file, and not about the way to it.
  fileprivate var isAboutContent: Bool {
    switch self {
    case .truncated, .damagedHeader, .damaged, .damagedPage, .changedAsText, .halfUpgraded,
      .noPreviousVersion:
      true
    default: false
    }
  }
}

/// Opens URLs in the user's browser.
enum BrowserOpening {
  /// Opens `url`, if there is a screen to show it on.
  static func open(_ url: String) {
    guard let command = unsafe csystem_url_opener().map({ unsafe String(cString: $0) }) else {
      return
    }
    // The URL has only letters, digits and URL punctuation; the command must neither print nor block.
    var count = 0
    _ = unsafe csystem_capture(
      "\(command) '\(url)' >/dev/null 2>&1 </dev/null &", "REALM_CLI=1", nil, 0, &count)
  }
}
