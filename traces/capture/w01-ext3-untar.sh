#!/bin/bash
# W7: untar of (part of) the Linux source onto a fresh ext3; the tarball lies on another disk.
export CAPTURE_CPU=${CAPTURE_CPU:-4}
. "$(dirname "$0")/lib.sh"
cap_begin w7-ext3-untar-linux 1024 ext3 "mkfs.ext3 -q -F -b 4096 -E lazy_itable_init=0,lazy_journal_init=0" "data=ordered,barrier=1" || exit 1
run tar xzf $ROOT/scratch/linux-subset.tar.gz
cap_end public
