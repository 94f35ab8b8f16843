#!/bin/bash
# qcap.sh NAME SIZE_MIB public|heldout JOB.sh [MEM_MIB] : run JOB in a QEMU guest on a blank disk of this size, keep its trace.
set -e
ROOT=${CAPTURE_ROOT:-$PWD/capture-work}; HERE=$(cd "$(dirname "$0")" && pwd); NAME=$1 SIZE=$2 DEST=$ROOT/out/$3 JOB=$4 MEM=${5:-512}
ACCEL=${QACCEL:--accel tcg -cpu max}; BPS=${CAPTURE_BPS:-31457280}
W=$ROOT/scratch/$NAME; rm -rf "$W"; mkdir -p "$W/out" "$DEST"
truncate -s ${SIZE}M "$W/disk.img"; truncate -s 3G "$W/out.img"; mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 -O ^has_journal "$W/out.img"
{ cat "$JOB"; echo; } >"$W/job.img"; truncate -s 1M "$W/job.img"
t0=$(date +%s)
timeout ${QTIMEOUT:-1800} qemu-system-x86_64 $ACCEL -m $MEM -smp 1 -display none -serial stdio -monitor none -vga none -nic none -no-reboot \
  -kernel $ROOT/scratch/kpkg/boot/vmlinuz-* -initrd $ROOT/scratch/initrd.gz -append "console=ttyS0 quiet panic=-1 edd=off mitigations=off" \
  -drive file="$W/disk.img",if=virtio,format=raw,cache=writeback,discard=unmap,throttling.bps-total=$BPS,throttling.bps-total-max=$BPS \
  -drive file="$W/out.img",if=virtio,format=raw,cache=writeback -drive file="$W/job.img",if=virtio,format=raw,readonly=on </dev/null >"$W/console.log" 2>&1 || true
echo "guest ran $(( $(date +%s)-t0 )) s"; tail -5 "$W/console.log"
debugfs -R "rdump / $W/out" "$W/out.img" >/dev/null 2>&1
(cd "$W/out/raw" && blkparse -q -i t -a issue -f "%T %t %d %S %N\n" 2>/dev/null) | grep -E '^[0-9]+ [0-9]+ ' | python3 $HERE/conv.py "$W/$NAME.csv"
zstd -q -f -19 -T2 "$W/$NAME.csv" -o "$DEST/$NAME.csv.zst"
python3 $HERE/check.py "$DEST/$NAME.csv.zst" $((SIZE<<20)) | tee "$ROOT/scratch/$NAME.facts.json"
cp "$W/out/mountopts" "$ROOT/scratch/$NAME.mountopts" 2>/dev/null || true
rm -f "$W/disk.img" "$W/out.img" "$W/$NAME.csv"
