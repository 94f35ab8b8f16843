//! The plugin stays in memory to the end of nbdkit: threads of the status page may be asleep in it.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
