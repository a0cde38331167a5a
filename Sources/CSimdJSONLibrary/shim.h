// Empty, because simdjson has no C header: this module only links the library, and Swift uses CSimdJSON.
