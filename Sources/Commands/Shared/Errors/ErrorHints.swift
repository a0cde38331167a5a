package import RealmBackup
import RealmBrowse
import RealmBuilding
package import RealmInterchange
package import RealmJobs
package import RealmMigration
import RealmQuery
package import RealmStorage
import RealmSync

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

// What the user can do about each error: the only place that names options and commands.

extension RealmFileError {
  package var hint: String? {
    switch kind {
    case .empty: "an app that opens this path creates a new realm in it; look for a backup"
    case .notARealm where found == ForeignContent.beforeFormats:
      "look for a later copy of the data, or for the program that wrote the file"
    case .notARealm where found != nil && found != ForeignContent.zeros:
      "check the path, or unpack or fetch the realm first"
    case .notARealm:
      "check the path; if this was a realm, `realm-cli salvage` finds what is left"
    case .neverCommitted: "apps can open it as it is; if it once had objects, look for a backup"
    case .changedAsText(.carriageReturns):
      "`realm-cli salvage` takes them out; transfer realms as binary files, in git with `*.realm binary` in "
        + ".gitattributes"
    case .changedAsText(.replacementCharacters):
      "look for a copy that was transferred as a binary file"
    case .nothingToSave: "look for a backup, or a copy on another device"
    case .truncated, .damagedHeader, .damaged, .damagedPage:
      "copy the file again from its source, or recover what is left with `realm-cli salvage`"
    case .wrongKey: "use the 64-byte key that the app opens this realm with"
    case .notEncrypted: "leave out the key option"
    case .keyMissing: "give the key with --key-file or --key-command"
    case .oldFormat:
      "no release of an SDK wrote this format, and none reads it; look for a later copy of the realm"
    case .legacyFormat:
      "first run `realm-cli upgrade` with -o, or `realm-cli salvage` if the realm is damaged"
    case .halfUpgraded:
      "use the copy from before the upgrade, finish the upgrade with the SDK that began it, or try "
        + "`realm-cli salvage`"
    case .newerFormat, .unknownHistory: "look for a newer version of realm-cli"
    case .noPreviousVersion: "read the newest version; if an app is writing, try again"
    case .outputExists: "name another file, or use --force to replace it"
    case .outputIsRead: "name another file"
    case .inUse: "close the app that has it open, then try again"
    case .changedWhileReading: "try again, or close the app that has it open"
    case .shrankWhileReading: "find out what shortens the file, then copy it again from its source"
    case .unreadable(let error): error.readingHint
    case .cannotCreate(let error), .inputOutput(let error):
      if path != UnlinkedFile.folder {
        error.writingHint
      } else if error.isFull {
        "free some space there, or set TMPDIR to a folder on another disk"
      } else {
        "set TMPDIR to a folder in which you may create files"
      }
    case .unsupported, .brokenPipe: nil
    }
  }
}

extension KeyError {
  package var hint: String? {
    switch kind {
    case .unreadable(let error): error.readingHint
    case .unusable: "a key is 64 raw bytes, 128 hexadecimal digits, or their base64"
    case .sourceFailed: "run the command by itself: it must print the key and end with status 0"
    case .noRandomNumbers: nil
    }
  }
}

extension RequestError {
  package var hint: String? {
    switch kind {
    case .noSuchClass: "`realm-cli schema show` lists the classes"
    case .embeddedClass: "name the classes that own them; `realm-cli schema show` lists them"
    case .noSuchProperty: "`realm-cli schema show` lists the properties of the classes"
    case .cannotDrop:
      "keep the property, and open the result with a schema version above the stored one: the "
        + "SDK then drops properties that the app's classes do not declare"
    case .wouldLose, .wouldNotUpload:
      "open the realm with its app until everything is uploaded, or use --discard-unsynced"
    case .alreadyEncrypted: "`realm-cli rekey` changes its key"
    case .notEncrypted: "`realm-cli encrypt` encrypts it"
    case .syncedMigration:
      "`realm-cli convert --to local` makes a local copy, which can be migrated; or let the app "
        + "add a class and copy the values"
    case .notInPatch: "leave out the class with --class, or the property with --ignore"
    case .otherClasses: "`realm-cli schema diff` compares the classes of two realms"
    case .versionNotHigher: "`realm-cli info` shows the schema version"
    case .noSuchVersion: "leave out --to to apply all versions"
    case .noRoot: "--list-roots shows the versions and where their top arrays are"
    case .noOlderValues:
      "leave out --fill-from-previous and --include-freed; --root previous reads the version before"
    case .serverRealm, .outOfRealmHistory:
      "export the objects with `realm-cli export`, and import them into a new realm"
    case .noUsers:
      "name the folder that contains mongodb-realm or realm-object-server, or one of these two"
    case .noSuchUser: "`realm-cli users list` shows the users"
    case .noCommonApp, .objectServerUsers: "`realm-cli users list` shows the users of each app"
    case .severalApps: "name the folder of one of them with --app-dir"
    case .hashedRealmName:
      "`realm-cli users path` shows where the other user's realm belongs; name that file with -o"
    case .foreignRealmName(true): "use --partition or --flexible"
    case .foreignRealmName(false): "use --url"
    case .noSuchUserRealm: "name one of them with --realm; `realm-cli users list` shows them"
    case .noPartition: "docs/realm-json.md shows how values are written, such as {\"$oid\":\"…\"}"
    case .notSynced: "`realm-cli info` shows the kind of history"
    case .alreadySynced: "`realm-cli copy` makes a copy for another user"
    case .cannotSync(let obstacle): obstacle.hint
    case .oldFormatToSync, .oldSyncedFormat: "first run `realm-cli upgrade`, which writes format 24"
    case .formatNotWritten: "docs/file-formats.md shows which apps open which format"
    case .needsUpgrade:
      "--upgrade does it, if the app opens format 24; -o writes the result to another file, and keeps this one"
    case .olderFormat: "`realm-cli convert --file-format` also writes older formats"
    case .historyTooNew:
      "`realm-cli convert --to local` first makes a local realm, which has no such history"
    case .flexibleConversion:
      "open an empty realm with flexible sync, and copy the objects into it; without --flexible the "
        + "result is for partition-based sync"
    case .oldSyncHistory:
      "`realm-cli convert --to local` makes a local realm with all objects, which can be upgraded and copied"
    case .unknownSyncHistory:
      "look for a newer version of realm-cli; --discard-unsynced deletes the realm without looking for "
        + "changes that were not uploaded"
    case .syncedTarget(.notSubscribed): "let the app subscribe to objects of the class first"
    case .syncedTarget:
      "`realm-cli convert --to local` makes a local copy, which accepts all changes"
    }
  }
}

extension SyncObstacle {
  fileprivate var hint: String? {
    switch kind {
    case .noPrimaryKey, .primaryKeyName:
      "`realm-cli convert --to synced --add-primary-keys` gives every class this key; in a plan or a "
        + "schema, name _id as the primary key"
    case .keyNameTaken: "rename the property _id with `realm-cli migrate`"
    case .keyType:
      "rename the property with `realm-cli migrate`, or change its type; then --add-primary-keys adds "
        + "another _id"
    case .keyWithWords: "remove the index with a remove-index step of `realm-cli migrate`"
    case .equalKeys:
      "change all but one of these values, or rename the property with `realm-cli migrate`; then "
        + "--add-primary-keys adds another _id"
    case .integerKeys, .typedLinks, .noTarget:
      "`realm-cli convert --to local --drop-property` makes a realm without the property"
    case .tooLarge: "split the object into several"
    case .dictionaryKey: "rename the key; apps often write $ as %24 and a full stop as %2E"
    case .more: "correct the objects above first"
    case .schemaTooLarge: "leave out classes and properties"
    }
  }
}

extension ArchiveError {
  package var hint: String? {
    switch kind {
    case .notABackup: "check the path; `realm-cli backup create` makes backups"
    case .damaged:
      "`realm-cli backup verify` shows which realms are intact, and `backup restore --partial` restores them"
    case .hostile: "do not unpack it with other tools either"
    case .newerFormat: "look for a newer version of realm-cli"
    case .noRealms: "check the path"
    case .noSuchRealm, .severalRealms: "name one of them; `realm-cli backup list` shows the names"
    case .linkInTarget: "remove the link, or name its target with --to"
    case .sameNames: "name a folder that contains both, or back them up separately"
    case .unsupported: nil
    }
  }
}

extension ImportError {
  package var hint: String? {
    switch kind {
    case .file(let error): error.hint
    case .empty: "check the path"
    case .encoding: "convert it to UTF-8 first, for example with `iconv -t UTF-8`"
    case .notJSON: "correct the JSON there"
    case .truncated: "export or copy the file again"
    case .build(let error): error.formatHint
    case .tooLarge: nil
    case .structure, .schema: "docs/realm-json.md describes the format"
    case .isRealm:
      "`realm-cli export` writes its objects as JSON, and `realm-cli copy` copies the realm"
    case .isPatch: "`realm-cli apply` applies a patch to a realm"
    case .notAPatch: "`realm-cli diff --format patch` makes a patch"
    case .patch: "docs/patch.md describes the format"
    case .unknownProperty: "--ignore-unknown leaves out what the schema does not have"
    case .unknownClass: "add the class to the schema"
    case .classLeftOut:
      "export this class, too; `import` leaves out such links with --null-missing-links, or adds the objects to a "
        + "realm that has the class with --into"
    case .wrongCount: "export the realm again: objects are missing or duplicated"
    case .exists: "--mode upsert changes it, --mode replace replaces it"
    case .missingTarget: "add the object, or use --null-missing-links"
    case .duplicatePrimaryKey: "leave out one of the two objects"
    case .request(let error): error.hint
    case .nullInRequired, .missingProperty: "give it a value, or make it optional in the schema"
    case .rounded:
      "write the number in quotes, and make the property a string, or a decimal128 of up to 34 digits"
    case .wrongType, .outOfRange, .invalidValue, .duplicateMember:
      "correct the value there; docs/realm-json.md shows how values are written"
    }
  }
}

extension QueryTextError {
  package var hint: String? { error.hint }
}

extension ImportRequestError {
  fileprivate var hint: String? {
    switch self {
    case .unnamedClass: "name the class with --class"
    case .classesAreNamed: "leave out --class"
    case .hasSchema: "leave out --schema, --primary-key, --index and --infer-strings"
    case .noFiles: "name a folder with files such as Person.ndjson or Person.csv"
    case .noSuchProperty, .notAKey, .notIndexable: "--infer-only shows the schema that is inferred"
    }
  }
}

extension SystemError {
  /// Whether the disk or the quota of the user has no space left.
  fileprivate var isFull: Bool { [ENOSPC, EDQUOT].contains(number) }

  /// The hint for an output that cannot be created.
  fileprivate var writingHint: String? {
    switch number {
    case EISDIR: "name a file in this folder"
    case ENOENT: "create the folder first"
    case EACCES, EPERM: "check the permissions of the folder"
    case EROFS: "name a file on a writable disk"
    case EBUSY: "close the program that uses it, then try again"
    case _ where isFull: "free some space on the disk, then try again"
    default: nil
    }
  }

  /// The hint for an input that cannot be read.
  fileprivate var readingHint: String? {
    switch number {
    case ENOENT, ENOTDIR: "check the path"
    case EISDIR: "name a file in this folder"
    case EINVAL: "name a regular file, not a pipe or a device"
    case EACCES, EPERM: "check the permissions of the file and of its folders"
    default: nil
    }
  }
}

private let verifyHint = "`realm-cli verify` lists everything that is wrong with the realm"

extension BuildError {
  /// The hint for something that the file format of a result cannot hold; nil for other errors.
  fileprivate var formatHint: String? {
    guard case .unsupported = kind else { return nil }
    return "give --file-format a newer format, or remove these first with `realm-cli migrate`"
  }
}

extension RebuildError {
  package var hint: String? { error.formatHint ?? verifyHint }
}

extension ExportLossError {
  package var hint: String? {
    "--allow-data-loss accepts the loss; json, ndjson and sqlite with --dates iso keep more"
  }
}

extension PlanError {
  package var hint: String? {
    if case .dataLoss = kind {
      return
        "--allow-data-loss accepts the loss; a plan with change-type or set-required keeps the values"
    }
    return advice
  }
}

extension MigrationError {
  package var hint: String? {
    switch kind {
    case .value where step == nil:
      "leave such objects out with the query, or give them another value: condition ? value : other"
    case .value:
      "correct the value in a step before this one, or give such objects another one: "
        + "condition ? value : other"
    case .null where step == nil:
      "write an expression without null, such as coalesce(name, ''); a set-optional step of "
        + "`realm-cli migrate` makes the property optional"
    case .null:
      "replace null in a step before this one, or with an expression such as coalesce(name, ''); "
        + "set-optional makes the property optional"
    case .duplicates: "first change or delete all but one of them"
    case .mixedLink: "remove the link with a set-values step in an earlier version of the plan"
    case .tooMany, .tooDeep: "leave the class top-level"
    case .build(let error): error.formatHint ?? verifyHint
    }
  }
}

extension DraftError {
  package var hint: String? {
    switch kind {
    case .identityInUse, .noIdentity: "choose another primary key"
    case .noObject, .noPlace: "look again: it was removed, in the draft or in the realm"
    case .changed: "look at the new value, and edit it again if yours is still right"
    case .otherCount: "look at what it finds now, and confirm the new number"
    case .noTarget: "add the target first"
    case .primaryKey: "delete the object, and insert one with the other primary key"
    case .asymmetricClass: "objects of the class are only seen until they are uploaded"
    case .equalMember: "a set has each value once"
    case .equalKey: "choose another key, or change the value of the one that is there"
    case .tooManyObjects, .tooLarge:
      "save the draft first, or use `realm-cli update` and `realm-cli delete`, which have no limit"
    case .tooManyElements: "use `realm-cli apply`, which has no limit"
    }
  }
}
