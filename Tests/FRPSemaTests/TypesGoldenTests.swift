import FRPBase
import FRPCore
import FRPSema
import FRPSyntax
import FRPTestFiles
import Testing

@Suite struct TypesGoldenTests {
  @Test(arguments: TestFiles.names(in: TestFiles.tests + "/Golden/types", ending: ".frp"))
  func inferredTypes(name: String) throws {
    let base = TestFiles.tests + "/Golden/types/" + name
    let source = try #require(TestFiles.read(base + ".frp"))
    let listing = TypesCheck(source, name: name + ".frp").listing
    let difference = TestFiles.difference(listing, from: base + ".txt")
    #expect(difference == nil)
  }
}
