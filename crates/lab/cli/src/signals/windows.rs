//! Ctrl-C and its like on Windows: the closing of a console, and the end of a session.

/// Makes them remove unfinished files and end the program with 130.
pub fn watch() {
    // without the handler they still end the program
    let _ = ctrlc::set_handler(|| super::end(super::INTERRUPT_NUMBER));
}
