import FRPBase
import FRPCore
import FRPSema
import FRPSyntax
import Glibc
import Testing

@Suite struct TypesGoldenTests {
  @Test(arguments: GoldenFiles.names(in: GoldenFiles.tests + "/Golden/types", ending: ".frp"))
  func inferredTypes(name: String) throws {
    let base = GoldenFiles.tests + "/Golden/types/" + name
    let source = try #require(GoldenFiles.read(base + ".frp"))
    let listing = TypesCheck(source, name: name + ".frp").listing
    if GoldenFiles.accepts { GoldenFiles.write(base + ".txt", listing) }
    #expect(listing == GoldenFiles.read(base + ".txt"))
  }
}
