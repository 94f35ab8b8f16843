#!/bin/bash
# Build an initramfs for the QEMU guest: busybox, file-system tools, postmark, fio, blktrace, kernel modules.
# Needs: linux-image .deb unpacked in $ROOT/scratch/kpkg; packages busybox-static blktrace fio postmark dosfstools
# nilfs-tools f2fs-tools e2fsprogs.
set -e
ROOT=${CAPTURE_ROOT:-$PWD/capture-work}; HERE=$(cd "$(dirname "$0")" && pwd)
K=$ROOT/scratch/kpkg; V=$(ls $K/lib/modules); R=$ROOT/scratch/initrd; rm -rf $R; mkdir -p $R/{bin,sbin,proc,sys,dev,tmp,mnt,out,src,etc,run,lib,lib64,usr/bin,usr/sbin,usr/lib,var/run}
[ -f $K/lib/modules/$V/modules.dep ] || depmod -b $K $V
cp /bin/busybox $R/bin/; for c in sh mount umount mkdir cat echo sleep sync ls rm cp dd insmod modprobe poweroff seq kill awk sed grep df date tar mknod uname head tail sysctl free dmesg wc mv touch truncate; do ln -s busybox $R/bin/$c; done
for b in blktrace blkparse fio postmark mkfs.fat mkfs.nilfs2 mount.nilfs2 umount.nilfs2 nilfs_cleanerd mkfs.f2fs mkfs.ext4 mkfs.ext3 $EXTRA; do
  p=$(PATH=$PATH:/sbin:/usr/sbin command -v $b) || { echo "no $b" >&2; continue; }
  d=$R/sbin/$(basename $p); cp -L $p $d
  ldd $p 2>/dev/null | grep -o '/[^ ]*' | while read l; do mkdir -p $R/$(dirname $l); cp -Ln $l $R/$l; done
done
if [ -x $ROOT/scratch/p2p ]; then cp $ROOT/scratch/p2p $R/bin/; fi   # gcc -O2 -static -pthread -o p2p p2p.c
for l in /lib/x86_64-linux-gnu/libgcc_s.so.1; do mkdir -p $R/$(dirname $l); cp -Ln $l $R/$l; done
cp /etc/nilfs_cleanerd.conf $R/etc/ 2>/dev/null || true; cp /etc/mke2fs.conf $R/etc/
for m in virtio_pci virtio_blk vfat msdos nls_cp437 nls_iso8859-1 nls_utf8 nls_ascii nilfs2 f2fs ext4 crc32c_generic crc32_generic lz4_compress; do
  modprobe -d $K -S $V --show-depends $m 2>/dev/null | awk '$1=="insmod"{print $2}'
done | awk '!s[$0]++' >$R/modules.list
while read p; do cp $p $R/lib/$(basename $p); echo /lib/$(basename $p); done <$R/modules.list >$R/modules.order
cp $HERE/guest-init.sh $R/init; chmod +x $R/init; cp $HERE/postmark-*.cmd $R/ 2>/dev/null || true
(cd $R && find . | cpio -o -H newc --quiet | gzip -1) >$ROOT/scratch/initrd.gz; ls -la $ROOT/scratch/initrd.gz
