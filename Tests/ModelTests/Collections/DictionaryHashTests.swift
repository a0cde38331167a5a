import TestSupport
import Testing

@testable import RealmModel
@testable import RealmStorage

/// The hashes of the reference's library of format 22, called directly.
@Suite("Hashes of dictionary keys")
struct DictionaryHashTests {
  /// The letter of a text at a position; the vectors hash its beginnings.
  private static func letter(_ position: Int) -> UInt8 {
    UInt8(ascii: "a") + UInt8(position * 7 % 26)
  }

  private static let vectors: [(count: Int, wide: UInt64, narrow: UInt32)] = [
    (0, 0x9AE1_6A3B_2F90_404F, 0x0000_0000), (1, 0x2420_662C_D003_ACFA, 0x9268_5F5E),
    (2, 0xC184_CCF6_65C6_3A49, 0x6D5D_7C5E), (3, 0x816F_7E08_DEBE_3075, 0x3390_7981),
    (4, 0x06C4_7624_144D_032B, 0xBE7B_7239), (5, 0x35FA_DE5A_4E51_10CF, 0x9C38_CE42),
    (7, 0xCE91_FE78_D57B_AF0F, 0x639A_6E12), (8, 0x6944_A585_70F1_D178, 0x39D2_3E6D),
    (9, 0x4442_839D_A1C6_411A, 0xC326_296B), (12, 0xB03B_30E6_EA2E_DE75, 0x3D4B_2D88),
    (15, 0xA387_1573_D656_2F44, 0x6A2D_F79C), (16, 0xAA78_F3B9_EDD8_4E0E, 0xC69B_487E),
    (17, 0x7067_D583_B2E6_2ABC, 0xDF2C_E1C6), (20, 0xB6D0_9DC0_01CC_577E, 0x6A6A_E8D5),
    (31, 0x044E_6600_6BD9_E0AF, 0x259C_7B01), (32, 0x7956_6DA1_48EF_DB90, 0x1CE0_B2D3),
    (33, 0x6529_AAB1_2AF9_4768, 0x0772_EB9F), (40, 0xCDCD_EE4B_A1B4_F5B2, 0xE433_D6FF),
    (48, 0xAF3B_A373_71F4_7691, 0x83CA_4240), (63, 0x0865_A492_560A_5F96, 0xC63C_9B2E),
    (64, 0x3599_6541_AC56_60F4, 0x3E7E_7599), (65, 0x3F05_B536_18EE_F03E, 0x9C38_B88B),
    (100, 0xA55D_EE65_DE42_8689, 0xAA90_9F21), (127, 0x32E6_3483_C298_8D9E, 0xA4FD_C47B),
    (128, 0xAC84_6330_EBF7_4E5B, 0xB501_4A07), (129, 0xF1EA_93F5_D57B_6049, 0x8269_AA95),
    (200, 0x0877_FBF9_9E2F_0EF6, 0x11C4_C839),
  ]

  private func objectKey(_ bytes: [UInt8], isWide: Bool) -> Int64 {
    var platform = WriterPlatform()
    platform.hasWideHashes = isWide
    return DictionaryHash.objectKey(of: .string(lastingSlice(bytes)), platform).raw
  }

  @Test("strings of all lengths have the hash of the reference without its upper bit")
  func strings() {
    for vector in DictionaryHashTests.vectors {
      let text = (0..<vector.count).map(DictionaryHashTests.letter)
      #expect(
        objectKey(text, isWide: true) == Int64(vector.wide & 0x7FFF_FFFF_FFFF_FFFF), "\(vector)")
      #expect(objectKey(text, isWide: false) == Int64(vector.narrow), "\(vector)")
    }
    let text = Array("été 😀".utf8)
    #expect(objectKey(text, isWide: true) == 0x55E4_2D19_53F0_43C5)
    #expect(objectKey(text, isWide: false) == 0xD16C_8F4C)
  }

  @Test("entries whose hash is taken get negative keys")
  func collisions() {
    #expect(DictionaryHash.collidingKey(ObjectKey(5), attempt: 0).raw == -7)
    #expect(DictionaryHash.collidingKey(ObjectKey(5), attempt: 2).raw == -9)
  }
}
