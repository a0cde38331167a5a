// Where the system keeps simdjson, which has no C header: CSimdJSON is what Swift sees of it.
