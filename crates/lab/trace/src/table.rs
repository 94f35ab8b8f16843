//! How a user explains the columns of a table.

use crate::text::op;
use ssdlab_host::Op;
use ssdlab_words::either;

/// What a column says of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// `time`.
    Time,
    /// `op`: the operation.
    Op,
    /// `offset`.
    Offset,
    /// `size`.
    Size,
    /// `stream`: a number from 0 to 65535.
    Stream,
    /// `volume`.
    Volume,
}

impl Role {
    /// All roles; a table must have the first four.
    pub const ALL: [Role; 6] = [
        Role::Time,
        Role::Op,
        Role::Offset,
        Role::Size,
        Role::Stream,
        Role::Volume,
    ];

    /// The name that `--fields` takes.
    pub const fn name(self) -> &'static str {
        match self {
            Role::Time => "time",
            Role::Op => "op",
            Role::Offset => "offset",
            Role::Size => "size",
            Role::Stream => "stream",
            Role::Volume => "volume",
        }
    }

    pub(crate) const fn is_needed(self) -> bool {
        !matches!(self, Role::Stream | Role::Volume)
    }

    /// The names of columns that mean this, in small letters, without unit and without other signs.
    pub(crate) const fn usual(self) -> &'static [&'static str] {
        match self {
            Role::Time => &[
                "time",
                "timestamp",
                "ts",
                "arrival",
                "arrivaltime",
                "starttime",
                "issuetime",
                "requesttime",
            ],
            Role::Op => &[
                "op",
                "type",
                "rw",
                "opcode",
                "iotype",
                "operation",
                "optype",
                "kind",
                "requesttype",
                "readwrite",
                "cmd",
            ],
            Role::Offset => &[
                "lba",
                "offset",
                "sector",
                "address",
                "addr",
                "lbn",
                "blkno",
                "block",
                "blocknumber",
                "startlba",
                "startsector",
                "startaddress",
                "byteoffset",
                "startoffset",
            ],
            Role::Size => &[
                "length",
                "size",
                "len",
                "bytes",
                "nbytes",
                "count",
                "sectors",
                "nsectors",
                "numsectors",
                "blocks",
                "nblocks",
                "requestsize",
                "iosize",
                "transfersize",
                "bcount",
            ],
            Role::Stream => &["stream", "streamid"],
            Role::Volume => &[
                "volume", "volumeid", "device", "deviceid", "dev", "devno", "disk", "diskid",
                "lun", "asu",
            ],
        }
    }
}

/// How to read a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableOptions {
    /// The columns, by their names or by their numbers from 1; empty: those whose names tell what they are.
    pub fields: Vec<(Role, String)>,
    /// Text only: whether line 1 names the columns; `None`: if it has no number.
    pub header: Option<bool>,
    /// Text only: the character between fields; a blank stands for any number of blanks and tabs. `None`: the one that
    /// line 1 shows.
    pub delimiter: Option<u8>,
    /// What values of the operation mean, beside the usual words.
    pub ops: Vec<(String, Op)>,
}

impl TableOptions {
    /// The columns of a text such as `time=ts,op=type,offset=3,size=4`.
    ///
    /// # Errors
    /// The part that is wrong, and what is allowed.
    pub fn parse_fields(text: &str) -> Result<Vec<(Role, String)>, String> {
        let mut fields: Vec<(Role, String)> = Vec::new();
        for part in text.split(',') {
            let named = |name: &str| Role::ALL.into_iter().find(|role| role.name() == name);
            let field = part
                .split_once('=')
                .filter(|(_, column)| !column.is_empty());
            let Some((role, column)) =
                field.and_then(|(role, column)| Some((named(role.trim())?, column.trim())))
            else {
                let roles = either(&Role::ALL.map(Role::name));
                return Err(format!(
                    "\"{part}\" is not ROLE=COLUMN; the role is {roles}, the column a name or a number"
                ));
            };
            if fields.iter().any(|(other, _)| *other == role) {
                return Err(format!("{} is given twice", role.name()));
            }
            fields.push((role, column.to_owned()));
        }
        Ok(fields)
    }

    /// The operations of a text such as `0=R,1=W`.
    ///
    /// # Errors
    /// The part that is wrong, and what is allowed.
    pub fn parse_ops(text: &str) -> Result<Vec<(String, Op)>, String> {
        let one = |part: &str| {
            let (value, name) = part.split_once('=')?;
            let op = op("", name.trim().as_bytes(), WORDS).ok()?;
            Some((value.trim().to_owned(), op))
        };
        let parts = text.split(',');
        let ops = parts.map(|part| {
            one(part).ok_or_else(|| format!("\"{part}\" is not VALUE=OP; OP is R, W, F or D"))
        });
        ops.collect()
    }
}

/// The operation that a word names: one of `meant`, or a usual word.
///
/// # Errors
/// What was found, and what is allowed.
pub fn op_of(word: &str, meant: &[(String, Op)]) -> Result<Op, String> {
    let own = meant.iter().find(|(value, _)| value == word);
    match own {
        Some((_, op)) => Ok(*op),
        None => op("operation", word.as_bytes(), WORDS),
    }
}

/// The usual words for operations.
pub(crate) const WORDS: &[(&str, Op)] = &[
    ("R", Op::Read),
    ("W", Op::Write),
    ("F", Op::Flush),
    ("D", Op::Discard),
    ("read", Op::Read),
    ("write", Op::Write),
    ("flush", Op::Flush),
    ("sync", Op::Flush),
    ("discard", Op::Discard),
    ("trim", Op::Discard),
    ("unmap", Op::Discard),
];
