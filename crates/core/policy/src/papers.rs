//! The papers of the built-in systems and devices: the only place with their titles.
//!
//! Each fact was read in the paper itself, in the references of another one, or in a library's record. What was not read
//! anywhere is left out.

use crate::paper::{Paper, Venue};

/// All of them.
pub const ALL: [&Paper; 23] = [
    &BPLRU,
    &LFS_BUFFERS,
    &BAGC,
    &LFSS,
    &PLRU_BR_2Q,
    &LB_CLOCK,
    &REQ_BLOCK,
    &CFLRU,
    &FAB,
    &BAST,
    &FAST,
    &SAST,
    &SUPERBLOCK,
    &DAC,
    &CAT,
    &COST_BENEFIT,
    &JFFS2,
    &MIN,
    &SSD_MODELS,
    &D_CHOICES,
    &SEPBIT,
    &SSD_IQ,
    &WARP,
];

/// BPLRU: block-level LRU, padding, LRU compensation.
pub const BPLRU: Paper = Paper {
    key: "kim2008bplru",
    name: "BPLRU 2008",
    authors: &[("Hyojun", "Kim"), ("Seongjun", "Ahn")],
    title: "BPLRU: A Buffer Management Scheme for Improving Random Writes in Flash Storage",
    place: "FAST 2008",
    venue: Venue::Proceedings {
        of: "6th USENIX Conference on File and Storage Technologies (FAST '08)",
        pages: "239--252",
    },
    year: Some(2008),
    doi: None,
};

/// Write and read buffers of a multi-channel SSD under a log-structured file system.
pub const LFS_BUFFERS: Paper = Paper {
    key: "kim2010lfs",
    name: "LFS buffers 2010",
    authors: &[
        ("Jaegeuk", "Kim"),
        ("Jinho", "Seol"),
        ("Seungryoul", "Maeng"),
    ],
    title: "A Buffer Management Issue in Designing SSDs for LFSs",
    place: "IEICE Transactions on Information and Systems E93-D(6), 2010",
    venue: Venue::Journal {
        name: "IEICE Transactions on Information and Systems",
        volume: "E93-D",
        number: "6",
        pages: "",
    },
    year: Some(2010),
    doi: Some("10.1587/transinf.E93.D.1644"),
};

/// Buffer-aware merges and victims, and the three-region buffer. It was online in 2012, hence its name here.
pub const BAGC: Paper = Paper {
    key: "lee2013bagc",
    name: "BAGC 2012",
    authors: &[("Sungjin", "Lee"), ("Dongkun", "Shin"), ("Jihong", "Kim")],
    title: "BAGC: Buffer-Aware Garbage Collection for Flash-Based Storage Systems",
    place: "IEEE Transactions on Computers 62(11), 2013",
    venue: Venue::Journal {
        name: "IEEE Transactions on Computers",
        volume: "62",
        number: "11",
        pages: "2141--2154",
    },
    year: Some(2013),
    doi: Some("10.1109/TC.2012.227"),
};

/// LFSS: DAC+ and DEB, with a region in RAM. Place and year of this version are not known.
pub const LFSS: Paper = Paper {
    key: "li-lfss",
    name: "LFSS",
    authors: &[("Chi-Hsun", "Li"), ("Da-Wei", "Chang")],
    title: "Improving Flash Storage System Performance by Using an Extra RAM Buffer",
    place: "",
    venue: Venue::Unknown,
    year: None,
    doi: None,
};

/// PLRU-BR and PLRU-BR-2Q.
pub const PLRU_BR_2Q: Paper = Paper {
    key: "shin2012plru",
    name: "PLRU-BR-2Q",
    authors: &[("Ilhoon", "Shin")],
    title: "Block-level Replacement Scheme Considering Re-write Probability for Solid State Drives",
    place: "International Journal of Multimedia and Ubiquitous Engineering 7(2), 2012",
    venue: Venue::Journal {
        name: "International Journal of Multimedia and Ubiquitous Engineering",
        volume: "7",
        number: "2",
        pages: "328--334",
    },
    year: Some(2012),
    doi: None,
};

/// LB-CLOCK.
pub const LB_CLOCK: Paper = Paper {
    key: "debnath2009lbclock",
    name: "LB-CLOCK 2009",
    authors: &[
        ("Biplob", "Debnath"),
        ("Sunil", "Subramanya"),
        ("David", "Du"),
        ("David J.", "Lilja"),
    ],
    title: "Large Block CLOCK (LB-CLOCK): A Write Caching Algorithm for Solid State Disks",
    place: "MASCOTS 2009",
    venue: Venue::Proceedings {
        of: "2009 IEEE International Symposium on Modeling, Analysis and Simulation of Computer and Telecommunication Systems (MASCOTS)",
        pages: "",
    },
    year: Some(2009),
    doi: Some("10.1109/MASCOT.2009.5366737"),
};

/// Req-block.
pub const REQ_BLOCK: Paper = Paper {
    key: "lin2022reqblock",
    name: "Req-block 2022",
    authors: &[
        ("Haodong", "Lin"),
        ("Zhibing", "Sha"),
        ("Jun", "Li"),
        ("Zhigang", "Cai"),
        ("Balazs", "Gerofi"),
        ("Yuanquan", "Shi"),
        ("Jianwei", "Liao"),
    ],
    title: "DRAM Cache Management with Request Granularity for NAND-based SSDs",
    place: "ICPP 2022",
    venue: Venue::Proceedings {
        of: "51st International Conference on Parallel Processing (ICPP '22)",
        pages: "",
    },
    year: Some(2022),
    doi: Some("10.1145/3545008.3545081"),
};

/// CFLRU.
pub const CFLRU: Paper = Paper {
    key: "park2006cflru",
    name: "Park et al. 2006",
    authors: &[
        ("Seon-Yeong", "Park"),
        ("Dawoon", "Jung"),
        ("Jeong-Uk", "Kang"),
        ("Jin-Soo", "Kim"),
        ("Joonwon", "Lee"),
    ],
    title: "CFLRU: A Replacement Algorithm for Flash Memory",
    place: "CASES 2006",
    venue: Venue::Proceedings {
        of: "2006 International Conference on Compilers, Architecture and Synthesis for Embedded Systems (CASES '06)",
        pages: "234--241",
    },
    year: Some(2006),
    doi: None,
};

/// FAB.
pub const FAB: Paper = Paper {
    key: "jo2006fab",
    name: "Jo et al. 2006",
    authors: &[
        ("Heeseung", "Jo"),
        ("Jeong-Uk", "Kang"),
        ("Seon-Yeong", "Park"),
        ("Jin-Soo", "Kim"),
        ("Joonwon", "Lee"),
    ],
    title: "FAB: Flash-Aware Buffer Management Policy for Portable Media Players",
    place: "IEEE Transactions on Consumer Electronics 52(2), 2006",
    venue: Venue::Journal {
        name: "IEEE Transactions on Consumer Electronics",
        volume: "52",
        number: "2",
        pages: "485--493",
    },
    year: Some(2006),
    doi: None,
};

/// BAST: a log block for a data block.
pub const BAST: Paper = Paper {
    key: "kim2002bast",
    name: "Kim et al. 2002",
    authors: &[
        ("Jesung", "Kim"),
        ("Jong Min", "Kim"),
        ("Sam H.", "Noh"),
        ("Sang Lyul", "Min"),
        ("Yookun", "Cho"),
    ],
    title: "A Space-Efficient Flash Translation Layer for CompactFlash Systems",
    place: "IEEE Transactions on Consumer Electronics 48(2), 2002",
    venue: Venue::Journal {
        name: "IEEE Transactions on Consumer Electronics",
        volume: "48",
        number: "2",
        pages: "366--375",
    },
    year: Some(2002),
    doi: None,
};

/// FAST: log blocks for all data blocks.
pub const FAST: Paper = Paper {
    key: "lee2007fast",
    name: "Lee et al. 2007",
    authors: &[
        ("S.-W.", "Lee"),
        ("D.-J.", "Park"),
        ("T.-S.", "Chung"),
        ("D.-H.", "Lee"),
        ("S.", "Park"),
        ("H.-J.", "Song"),
    ],
    title: "A Log Buffer-Based Flash Translation Layer Using Fully-Associative Sector Translation",
    place: "ACM Transactions on Embedded Computing Systems 6(3), 2007",
    venue: Venue::Journal {
        name: "ACM Transactions on Embedded Computing Systems",
        volume: "6",
        number: "3",
        pages: "",
    },
    year: Some(2007),
    doi: None,
};

/// SAST: log blocks for sets of data blocks.
pub const SAST: Paper = Paper {
    key: "park2008sast",
    name: "Park et al. 2008",
    authors: &[
        ("Chanik", "Park"),
        ("Wonmoon", "Cheon"),
        ("Jeonguk", "Kang"),
        ("Kangho", "Roh"),
        ("Wonhee", "Cho"),
        ("Jin-Soo", "Kim"),
    ],
    title: "A Reconfigurable FTL (Flash Translation Layer) Architecture for NAND Flash-Based Applications",
    place: "ACM Transactions on Embedded Computing Systems, 2008",
    venue: Venue::Journal {
        name: "ACM Transactions on Embedded Computing Systems",
        volume: "",
        number: "",
        pages: "",
    },
    year: Some(2008),
    doi: None,
};

/// The superblock FTL.
pub const SUPERBLOCK: Paper = Paper {
    key: "kang2006superblock",
    name: "Kang et al. 2006",
    authors: &[
        ("Jeong-Uk", "Kang"),
        ("Heeseung", "Jo"),
        ("Jin-Soo", "Kim"),
        ("Joonwon", "Lee"),
    ],
    title: "A Superblock-Based Flash Translation Layer for NAND Flash Memory",
    place: "EMSOFT 2006",
    venue: Venue::Proceedings {
        of: "6th ACM & IEEE International Conference on Embedded Software (EMSOFT '06)",
        pages: "161--170",
    },
    year: Some(2006),
    doi: None,
};

/// DAC.
pub const DAC: Paper = Paper {
    key: "chiang1999dac",
    name: "Chiang 1999",
    authors: &[("M. L.", "Chiang"), ("P. C. H.", "Lee"), ("R. C.", "Chang")],
    title: "Using Data Clustering to Improve Cleaning Performance for Flash Memory",
    place: "Software: Practice and Experience 29(3), 1999",
    venue: Venue::Journal {
        name: "Software: Practice and Experience",
        volume: "29",
        number: "3",
        pages: "267--290",
    },
    year: Some(1999),
    doi: None,
};

/// CAT.
pub const CAT: Paper = Paper {
    key: "chiang1999cat",
    name: "Chiang 1999",
    authors: &[("M. L.", "Chiang"), ("R. C.", "Chang")],
    title: "Cleaning Policies in Mobile Computers Using Flash Memory",
    place: "Journal of Systems and Software 48(3), 1999",
    venue: Venue::Journal {
        name: "Journal of Systems and Software",
        volume: "48",
        number: "3",
        pages: "213--231",
    },
    year: Some(1999),
    doi: None,
};

/// Cost-benefit cleaning of flash.
pub const COST_BENEFIT: Paper = Paper {
    key: "kawaguchi1995flash",
    name: "Kawaguchi 1995",
    authors: &[
        ("Atsuo", "Kawaguchi"),
        ("Shingo", "Nishioka"),
        ("Hiroshi", "Motoda"),
    ],
    title: "A Flash-Memory Based File System",
    place: "USENIX 1995",
    venue: Venue::Proceedings {
        of: "USENIX 1995 Technical Conference",
        pages: "155--164",
    },
    year: Some(1995),
    doi: None,
};

/// The collection of JFFS2.
pub const JFFS2: Paper = Paper {
    key: "woodhouse2001jffs",
    name: "Woodhouse 2001",
    authors: &[("David", "Woodhouse")],
    title: "JFFS: The Journalling Flash File System",
    place: "Ottawa Linux Symposium 2001",
    venue: Venue::Proceedings {
        of: "Ottawa Linux Symposium",
        pages: "",
    },
    year: Some(2001),
    doi: None,
};

/// MIN.
pub const MIN: Paper = Paper {
    key: "belady1966min",
    name: "Belady 1966",
    authors: &[("L. A.", "Belady")],
    title: "A Study of Replacement Algorithms for a Virtual-Storage Computer",
    place: "IBM Systems Journal 5(2), 1966",
    venue: Venue::Journal {
        name: "IBM Systems Journal",
        volume: "5",
        number: "2",
        pages: "78--101",
    },
    year: Some(1966),
    doi: None,
};

/// The log as a ring, in theory.
pub const SSD_MODELS: Paper = Paper {
    key: "desnoyers2012ssd",
    name: "Desnoyers 2012",
    authors: &[("Peter", "Desnoyers")],
    title: "Analytic Modeling of SSD Write Performance",
    place: "SYSTOR 2012",
    venue: Venue::Proceedings {
        of: "5th Annual International Systems and Storage Conference (SYSTOR '12)",
        pages: "",
    },
    year: Some(2012),
    doi: None,
};

/// d-choices.
pub const D_CHOICES: Paper = Paper {
    key: "vanhoudt2013dchoices",
    name: "Van Houdt 2013",
    authors: &[("Benny", "Van Houdt")],
    title: "A Mean Field Model for a Class of Garbage Collection Algorithms in Flash-Based Solid State Drives",
    place: "SIGMETRICS 2013",
    venue: Venue::Proceedings {
        of: "ACM SIGMETRICS International Conference on Measurement and Modeling of Computer Systems (SIGMETRICS '13)",
        pages: "",
    },
    year: Some(2013),
    doi: None,
};

/// SepBIT, and the placements that its simulator compares.
pub const SEPBIT: Paper = Paper {
    key: "wang2022sepbit",
    name: "SepBIT 2022",
    authors: &[
        ("Qiuping", "Wang"),
        ("Jinhong", "Li"),
        ("Patrick P. C.", "Lee"),
        ("Tao", "Ouyang"),
        ("Chao", "Shi"),
        ("Lilong", "Huang"),
    ],
    title: "Separating Data via Block Invalidation Time Inference for Write Amplification Reduction in Log-Structured Storage",
    place: "FAST 2022",
    venue: Venue::Proceedings {
        of: "20th USENIX Conference on File and Storage Technologies (FAST '22)",
        pages: "",
    },
    year: Some(2022),
    doi: None,
};

/// SSD-iq: measured write amplification of drives, and a simulator.
pub const SSD_IQ: Paper = Paper {
    key: "haas2025ssdiq",
    name: "SSD-iq 2025",
    authors: &[
        ("Gabriel", "Haas"),
        ("Bohyun", "Lee"),
        ("Philippe", "Bonnet"),
        ("Viktor", "Leis"),
    ],
    title: "SSD-iq: Uncovering the Hidden Side of SSD Performance",
    place: "PVLDB 18(11), 2025",
    venue: Venue::Journal {
        name: "Proceedings of the VLDB Endowment",
        volume: "18",
        number: "11",
        pages: "4295--4308",
    },
    year: Some(2025),
    doi: None,
};

/// WARP: FDP drives, measured and emulated.
pub const WARP: Paper = Paper {
    key: "song2026warp",
    name: "WARP 2026",
    authors: &[
        ("Inho", "Song"),
        ("Shoaib Asif", "Qazi"),
        ("Javier", "González"),
        ("Matias", "Bjørling"),
        ("Sam H.", "Noh"),
        ("Huaicheng", "Li"),
    ],
    title: "Characterizing and Emulating FDP SSDs with WARP",
    place: "FAST 2026",
    venue: Venue::Proceedings {
        of: "24th USENIX Conference on File and Storage Technologies (FAST '26)",
        pages: "347--362",
    },
    year: Some(2026),
    doi: None,
};
