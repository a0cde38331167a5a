extension Picture {
  /// The colours of all pictures, light and dark, for elements inside of `.realm-picture`.
  ///
  /// It has none of the characters `<`, `&` and `>`, so it is the same in a file and in a page.
  package static let styleSheet: StaticString = """
    .realm-picture { background: #ffffff; }
    .realm-picture text { fill: #1f2328; }
    .realm-picture .heading { font-weight: 600; }
    .realm-picture .name { font-weight: 600; }
    .realm-picture .dim { fill: #59636e; }
    .realm-picture a text { text-decoration: none; }
    .realm-picture a:hover .name, .realm-picture a:focus .name { text-decoration: underline; }
    .realm-picture .area rect { stroke: #ffffff; stroke-width: 1; }
    .realm-picture .area:hover rect { stroke: #1f2328; }
    .realm-picture .group { fill: none; stroke: #ffffff; stroke-width: 3; }
    .realm-picture .band { fill: #ffffff; fill-opacity: 0.6; }
    .realm-picture .blue { fill: #a8c7f0; }
    .realm-picture .violet { fill: #cdbdf0; }
    .realm-picture .teal { fill: #9fd8d4; }
    .realm-picture .green { fill: #b5dcab; }
    .realm-picture .yellow { fill: #ecdc9a; }
    .realm-picture .pink { fill: #f2bdd2; }
    .realm-picture .brown { fill: #dcc4a8; }
    .realm-picture .gray { fill: #d7dce1; }
    .realm-picture .pale { fill: #eef1f4; }
    .realm-picture .mark { fill: none; stroke-width: 2.5; }
    .realm-picture .note .mark { stroke: #9a6700; stroke-dasharray: 6 4; }
    .realm-picture .warning .mark { stroke: #c1121f; }
    .realm-picture .note-text { fill: #7d5300; font-weight: 600; }
    .realm-picture .warning-text { fill: #a40e1a; font-weight: 600; }
    .realm-picture .box { fill: #f6f8fa; stroke: #8c959f; stroke-width: 1; }
    .realm-picture .box-head { fill: #d5e4f8; }
    .realm-picture .embedded .box { stroke-dasharray: 5 3; }
    .realm-picture .embedded .box-head { fill: #dcefd9; }
    .realm-picture .asymmetric .box-head { fill: #f3dfc9; }
    .realm-picture .rule { stroke: #8c959f; stroke-width: 1; }
    .realm-picture .key { fill: #7d5300; font-weight: 600; }
    .realm-picture .line { fill: none; stroke: #57606a; stroke-width: 1.2; }
    .realm-picture .tip { fill: #57606a; stroke: none; }
    .realm-picture .link:hover .line { stroke: #0a58ca; stroke-width: 2.5; }
    .realm-picture .link:hover .tip { fill: #0a58ca; }
    @media (prefers-color-scheme: dark) {
    .realm-picture { background: #0d1117; }
    .realm-picture text { fill: #e6edf3; }
    .realm-picture .dim { fill: #a5afba; }
    .realm-picture .area rect { stroke: #0d1117; }
    .realm-picture .area:hover rect { stroke: #e6edf3; }
    .realm-picture .group { stroke: #0d1117; }
    .realm-picture .band { fill: #0d1117; fill-opacity: 0.5; }
    .realm-picture .blue { fill: #24456f; }
    .realm-picture .violet { fill: #463a73; }
    .realm-picture .teal { fill: #1b5654; }
    .realm-picture .green { fill: #2d552a; }
    .realm-picture .yellow { fill: #5a4f16; }
    .realm-picture .pink { fill: #67304a; }
    .realm-picture .brown { fill: #57412a; }
    .realm-picture .gray { fill: #3b434c; }
    .realm-picture .pale { fill: #21262d; }
    .realm-picture .note .mark { stroke: #e3b341; }
    .realm-picture .warning .mark { stroke: #ff7b72; }
    .realm-picture .note-text { fill: #e3b341; }
    .realm-picture .warning-text { fill: #ff8f87; }
    .realm-picture .box { fill: #161b22; stroke: #6e7681; }
    .realm-picture .box-head { fill: #1f3a5f; }
    .realm-picture .embedded .box-head { fill: #24482a; }
    .realm-picture .asymmetric .box-head { fill: #523b1e; }
    .realm-picture .rule { stroke: #6e7681; }
    .realm-picture .key { fill: #e3b341; }
    .realm-picture .line { stroke: #9aa4af; }
    .realm-picture .tip { fill: #9aa4af; }
    .realm-picture .link:hover .line { stroke: #79b8ff; }
    .realm-picture .link:hover .tip { fill: #79b8ff; }
    }

    """
}
