import RealmStorage

/// The order of strings in sets of mixed values before format 24 (chapter 2, section 8.3): characters up to U+024F by an
/// old table of the Unicode Collation Algorithm, all others by code point.
enum Collation {
  /// The code points up to U+024F in their order.
  private static let characters: [UInt16] = [
    0, 173, 1, 2, 3, 4, 5, 6, 7, 8, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28,
    29, 30, 31, 127, 39, 45, 32, 160, 9, 10, 11, 12, 13, 33, 34, 35, 36, 37, 38, 40, 41, 42, 44,
    46, 47, 58, 59, 63, 64, 91, 92, 93, 94, 95, 96, 123, 124, 125, 126, 161, 166, 168, 175, 180,
    184, 191, 451, 162, 163, 164, 165, 43, 60, 61, 62, 177, 171, 187, 215, 247, 448, 449, 450,
    167, 169, 172, 174, 176, 181, 182, 183, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137,
    138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155,
    156, 157, 158, 159, 48, 188, 189, 190, 49, 185, 50, 443, 178, 51, 179, 52, 53, 445, 444, 54,
    55, 56, 57, 97, 65, 170, 225, 193, 224, 192, 551, 550, 226, 194, 462, 461, 259, 258, 257,
    256, 227, 195, 261, 260, 570, 481, 480, 507, 506, 479, 478, 513, 512, 515, 514, 509, 508, 98,
    66, 384, 579, 385, 387, 386, 389, 388, 99, 67, 263, 262, 267, 266, 265, 264, 269, 268, 231,
    199, 572, 571, 392, 391, 390, 100, 68, 271, 270, 273, 272, 396, 395, 394, 240, 208, 397, 568,
    499, 498, 497, 454, 453, 452, 393, 545, 101, 69, 233, 201, 232, 200, 279, 278, 234, 202, 235,
    203, 283, 282, 277, 276, 275, 274, 281, 280, 553, 552, 583, 582, 517, 516, 519, 518, 477,
    398, 399, 400, 541, 540, 102, 70, 402, 401, 103, 71, 501, 500, 289, 288, 285, 284, 487, 486,
    287, 286, 291, 290, 485, 484, 403, 404, 104, 72, 293, 292, 543, 542, 295, 294, 405, 502, 105,
    73, 305, 237, 205, 236, 204, 304, 238, 206, 239, 207, 464, 463, 301, 300, 299, 298, 297, 296,
    303, 302, 407, 521, 520, 523, 522, 406, 307, 306, 106, 74, 567, 309, 308, 496, 585, 584, 107,
    75, 489, 488, 311, 310, 409, 408, 108, 76, 314, 313, 320, 319, 318, 317, 316, 315, 410, 573,
    322, 321, 411, 457, 456, 455, 564, 109, 77, 412, 110, 78, 324, 323, 505, 504, 328, 327, 241,
    209, 326, 325, 413, 329, 414, 544, 460, 459, 458, 565, 331, 330, 111, 79, 186, 243, 211, 242,
    210, 559, 558, 244, 212, 466, 465, 335, 334, 333, 332, 245, 213, 491, 490, 415, 561, 560,
    555, 554, 511, 510, 557, 556, 493, 492, 525, 524, 527, 526, 417, 416, 419, 418, 339, 338,
    547, 546, 112, 80, 421, 420, 113, 81, 312, 587, 586, 569, 114, 82, 422, 341, 340, 345, 344,
    343, 342, 589, 588, 529, 528, 531, 530, 115, 83, 347, 346, 349, 348, 353, 352, 351, 350, 537,
    536, 575, 425, 424, 423, 426, 223, 383, 116, 84, 357, 356, 355, 354, 429, 428, 427, 430, 539,
    538, 574, 566, 254, 222, 359, 358, 117, 85, 250, 218, 249, 217, 251, 219, 468, 467, 365, 364,
    363, 362, 361, 360, 367, 366, 371, 370, 580, 472, 471, 476, 475, 474, 473, 470, 469, 533,
    532, 535, 534, 432, 431, 433, 118, 86, 434, 581, 119, 87, 373, 372, 447, 503, 120, 88, 121,
    89, 253, 221, 375, 374, 255, 376, 563, 562, 369, 368, 591, 590, 436, 435, 252, 220, 122, 90,
    378, 377, 380, 379, 382, 381, 438, 437, 549, 548, 576, 230, 198, 439, 483, 482, 228, 196,
    495, 494, 441, 440, 442, 248, 216, 246, 214, 337, 336, 229, 197, 446, 578, 577,
  ]

  /// The position of each code point in ``characters``.
  private static let positions: [UInt16] = {
    var positions = [UInt16](repeating: 0, count: characters.count)
    for (position, character) in characters.enumerated() {
      positions[Int(character)] = UInt16(position)
    }
    return positions
  }()

  /// -1, 0 or 1. Strings that are not UTF-8 are compared by bytes from the first character that is not.
  static func compare(_ a: ByteSlice, _ b: ByteSlice) -> Int {
    // Characters begin at the same place in both strings as long as they are equal.
    var place = 0
    while place < min(a.count, b.count) {
      guard let (x, length) = character(of: a, at: place), let (y, _) = character(of: b, at: place)
      else { break }
      guard x == y else {
        let limit = characters.count
        guard x < limit, y < limit else { return x < y ? -1 : 1 }
        return positions[x] < positions[y] ? -1 : 1
      }
      place += length
    }
    for i in place..<max(place, min(a.count, b.count)) where a[i] != b[i] {
      return a[i] < b[i] ? -1 : 1
    }
    return NumberOrder.order(a.count, b.count)
  }

  /// The code point of the character that begins at `place`, and its number of bytes; nil if it is cut off. Bytes that begin no
  /// character stand for themselves.
  private static func character(of text: ByteSlice, at place: Int) -> (Int, length: Int)? {
    let lead = text[place]
    let length =
      switch lead {
      case 0xC0...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF7: 4
      default: 1
      }
    guard place + length <= text.count else { return nil }
    guard length > 1 else { return (Int(lead), 1) }
    var value = Int(lead) & 0x3F >> (length - 1)
    for i in 1..<length { value = value << 6 | Int(text[place + i]) & 0x3F }
    return (value, length)
  }
}
