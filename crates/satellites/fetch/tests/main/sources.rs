//! Where the volumes of the catalogue are, and what is asked for wrongly.

use ssdlab_catalogue::Catalogue;
use ssdlab_fetch::{Client, Patience, Source};

#[test]
fn addresses_are_those_of_the_publishers() {
    let catalogue = Catalogue::built_in().unwrap();
    let client = Client::new(Patience::default());
    let of = |name, volume| Source::of(&client, catalogue.set(name).unwrap(), volume, |_| {});
    let web = of("umass-spc", Some("WebSearch1")).unwrap();
    assert_eq!(web.name, "WebSearch1.spc.bz2");
    assert_eq!(web.known.bytes, Some(7_963_620));
    let last = of("cloudphysics", Some("w106")).unwrap();
    assert!(last.address.ends_with("/w106.oracleGeneral.bin.zst"));
    let lcs = of("lcs", Some("alibaba/809.lcs.zst")).unwrap();
    assert_eq!(lcs.name, "809.lcs.zst");
    assert_eq!(
        of("alibaba", None).unwrap().name,
        "alibabaBlock2020.csv.zst"
    );
    for (name, volume, expected) in [
        (
            "umass-spc",
            None,
            "choose one volume of umass-spc: Financial1, Financial2, WebSearch1",
        ),
        (
            "umass-spc",
            Some("WebSearch4"),
            "has no volume \"WebSearch4\"; did you mean WebSearch",
        ),
        (
            "lcs",
            None,
            "choose one volume of lcs: the path in the collection, such as alibaba/809",
        ),
        ("lcs", Some("../secret"), "must be a name of letters"),
        ("lcs", Some("a?b"), "must be a name of letters"),
        ("alibaba", Some("7"), "alibaba is one file"),
        (
            "tencent-cbs",
            Some("1"),
            "tencent-cbs needs registration, so ssdlab cannot fetch it. SNIA asks",
        ),
        (
            "thesios",
            None,
            "Go to https://console.cloud.google.com/storage/browser/thesios-io-traces",
        ),
    ] {
        let error = of(name, volume).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let error = Source::at(&client, "ftp://a/b", None, |_| {}).unwrap_err();
    assert!(
        error.to_string().contains("must begin with http"),
        "{error}"
    );
}
