import Commands
import RealmJobs
import RealmStorage
import Testing

@Suite("Error report")
struct ErrorReportTests {
  @Test("people read what is wrong, where, and what to do")
  func text() {
    let error = RealmFileError(.damaged(.nodeBounds), path: "people.realm", offset: 4120)
    #expect(
      ErrorReport(error).text == """
        realm-cli: people.realm: byte 4120: damaged: expected that a node lies below \
        the logical size and is smaller than 64 MiB (rule node.bounds)
          hint: copy the file again from its source, or recover what is left with \
        `realm-cli salvage`

        """)
  }

  @Test("an error without a hint has one line")
  func withoutHint() {
    let error = RealmFileError(.unsupported("no such thing"), path: "a.realm")
    #expect(ErrorReport(error).text == "realm-cli: a.realm: no such thing\n")
  }

  @Test("the error for a full disk of temporary files says how to choose another one")
  func fullTemporaryDisk() {
    func hint(_ path: String) -> String {
      RealmFileError(.inputOutput(SystemError(28, "write the file")), path: path).hint ?? ""
    }
    #expect(hint(UnlinkedFile.folder).contains("TMPDIR"))
    #expect(hint("a.realm") == "free some space on the disk, then try again")
    let missing = RealmFileError(
      .cannotCreate(SystemError(2, "create the file")), path: UnlinkedFile.folder)
    #expect(missing.hint == "set TMPDIR to a folder in which you may create files")
  }

  @Test("a value that JSON cannot represent is an error")
  func notJSON() {
    #expect(throws: EncodingError.self) { try JSONText.line([Double.infinity]) }
  }

  @Test("a program gets the facts under stable names")
  func json() throws {
    let error = RealmFileError(
      .damaged(.leafWidth), path: "a/b.realm", offset: 8, className: "Dog",
      property: "age", objectKey: 3)
    #expect(
      try JSONText.line(["error": ErrorReport(error)]) == """
        {"error":{"class":"Dog","code":"damaged","hint":"copy the file again from its source, or \
        recover what is left with `realm-cli salvage`","message":"a/b.realm: byte 8, class \
        Dog.age, object 3: damaged: expected that the elements of a leaf \
        have a width that their type allows (rule leaf.width)","objectKey":3,"offset":8,\
        "path":"a/b.realm","property":"age"}}

        """)
  }

  @Test("an error of an unknown type is a bug, and its message asks for a report")
  func unknown() {
    struct Surprise: Error {}
    let report = ErrorReport(Surprise())
    #expect(report.status == .internalError)
    #expect(report.text.hasPrefix("realm-cli: a bug in realm-cli: Surprise()\n  hint: report it"))
  }

  @Test("a name from a file cannot control the terminal")
  func controlCharacters() {
    let error = RequestError(.noSuchClass("a\u{1B}[2J\nb"), path: "a.realm")
    #expect(
      ErrorReport(error).text.hasPrefix(
        "realm-cli: a.realm: there is no class named a\\u{1b}[2J\\u{a}b\n"))
  }
}
