# The release workflow fills in @URL@, @SHA256@ and @VERSION@.
class RealmCli < Formula
  desc "Inspect, export, verify, salvage and rewrite Realm database files"
  homepage "@HOMEPAGE@"
  url "@URL@"
  version "@VERSION@"
  sha256 "@SHA256@"
  license "Apache-2.0"

  depends_on "pkgconf" => :build
  depends_on xcode: ["26.0", :build]
  depends_on "libarchive"
  depends_on "libyaml"
  depends_on macos: :sequoia
  depends_on "simdjson"
  depends_on "sqlite"
  depends_on "zlib"

  def install
    # SwiftPM's own sandbox does not work within Homebrew's.
    system "swift", "build", "--disable-sandbox", "-c", "release", "--product", "realm-cli"
    system "Scripts/install-files", ".build/release/realm-cli", prefix
  end

  test do
    (testpath/"people.json").write <<~JSON
      [{"name": "Ada", "born": 1815}, {"name": "Grace", "born": 1906}]
    JSON
    system bin/"realm-cli", "import", "people.json", "--class", "Person", "-o", "people.realm"
    assert_equal "1\n", shell_output("#{bin}/realm-cli query people.realm Person 'born < 1900' --count")
    system bin/"realm-cli", "verify", "people.realm"
  end
end
