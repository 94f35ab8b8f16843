#!/bin/bash
# W1 stand-in: installation of an office suite onto NTFS: the packages are copied onto the volume first (as an installer's
# cache), then unpacked one by one with an install log appended to, then the cache is deleted.
export CAPTURE_CPU=${CAPTURE_CPU:-40}
. "$(dirname "$0")/lib.sh"
cap_begin w1-ntfs-office-install 1024 ntfs-3g "mkfs.ntfs -q -Q -F -c 4096 -p 0 -H 255 -S 63" "big_writes,noatime" || exit 1
run sh -c "mkdir -p MSOCache Program_Files Windows; cp $ROOT/scratch/loff/*.deb MSOCache/
for p in MSOCache/*.deb; do dpkg-deb -x \$p Program_Files; dpkg-deb -c \$p >>Windows/install.log; date >>Windows/setup.ini; sleep 1; done; rm -rf MSOCache"
cap_end public
