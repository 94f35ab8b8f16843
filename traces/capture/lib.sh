# Shared helpers: a file-backed loop device, the block:block_rq_issue trace event (what blktrace shows as 'D')
# around a mounted workload, conversion to CSV. tracefs is used since blktrace's debugfs files are refused
# on a kernel locked down at 'integrity'; the two see the same requests at the same point.
# Use as root:  . lib.sh; cap_begin NAME SIZE_MIB FSTYPE "MKFS COMMAND" "MOUNT OPTIONS"; run ...; cap_end public|heldout
ROOT=${CAPTURE_ROOT:-$PWD/capture-work}; HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
MEM=${CAPTURE_MEM:-512M}           # page cache + memory of the workload (cgroup), like a machine of that size
DIRTY=${CAPTURE_DIRTY:-104857600}  # dirty limit of this device alone: 20 % of 512 MiB
CPU=${CAPTURE_CPU:-20}             # CPU of the workload, per cent of one core (0: no limit)
BPS=${CAPTURE_BPS:-31457280}       # speed limit of the device, bytes/s each way (0: none)
CC=/sys/fs/cgroup/cpu/capture.$$ BLK=/sys/fs/cgroup/blkio     # cgroup v1
TR=/sys/kernel/debug/tracing; [ -d /sys/kernel/tracing/events ] && TR=/sys/kernel/tracing
TI=$TR/instances/capture.$$
CG=/sys/fs/cgroup/memory/capture.$$
cap_begin() { NAME=$1 SIZE=$2 FS=$3 MKFS=$4 MOPT=$5
  W=$ROOT/scratch/$NAME; rm -rf "$W"; mkdir -p "$W/mnt"; IMG=$W/disk.img; MNT=$W/mnt
  truncate -s ${SIZE}M "$IMG"; DEV=$(losetup -f --show --direct-io=on "$IMG") || return 1
  $MKFS "$DEV" >"$W/mkfs.log" 2>&1 || { cat "$W/mkfs.log"; losetup -d "$DEV"; return 1; }
  if [ -n "$PREP" ]; then mount -t "$FS" "$DEV" "$MNT"; (cd "$MNT" && eval "$PREP") >"$W/prep.log" 2>&1; umount "$MNT"; fi  # untraced
  sync "$IMG"; blockdev --flushbufs "$DEV"
  BDI=/sys/class/bdi/$(cat /sys/block/${DEV##*/}/dev)
  echo 1 >$BDI/strict_limit; echo $DIRTY >$BDI/max_bytes
  mkdir -p $CG $CC; echo $MEM >$CG/memory.limit_in_bytes
  [ $CPU = 0 ] || { echo 50000 >$CC/cpu.cfs_period_us; echo $((CPU*500)) >$CC/cpu.cfs_quota_us; }
  MM=$(cat /sys/block/${DEV##*/}/dev)
  echo ${CAPTURE_MAXKB:-128} >/sys/block/${DEV##*/}/queue/max_sectors_kb   # request size limit, as on a disk of 2007
  for d in read write; do echo "$MM $BPS" >$BLK/blkio.throttle.${d}_bps_device; done
  IFS=: read MA MI <<<"$(cat /sys/block/${DEV##*/}/dev)"
  mkdir $TI; echo mono >$TI/trace_clock; echo 32768 >$TI/buffer_size_kb
  echo "dev == $((MA<<20|MI))" >$TI/events/block/block_rq_issue/filter; echo 1 >$TI/events/block/block_rq_issue/enable
  cat $TI/trace_pipe >"$W/raw.txt" & BT=$!
  if [ "$FS" = ntfs-3g ]; then ( echo $BASHPID >$CG/cgroup.procs; echo $BASHPID >$CC/cgroup.procs; exec ntfs-3g ${MOPT:+-o $MOPT} "$DEV" "$MNT" )
  else mount -t "$FS" ${MOPT:+-o $MOPT} "$DEV" "$MNT"; fi || { echo mount failed; trace_off; losetup -d "$DEV"; return 1; }
  grep " $MNT " /proc/mounts | sed 's/^[^ ]* [^ ]* //' >"$W/mountopts"; T0=$(date +%s.%N); }
run() { ( echo $BASHPID >$CG/cgroup.procs; echo $BASHPID >$CC/cgroup.procs; cd "$MNT" && exec "$@" ) >>"$W/run.log" 2>&1; }   # inside the memory limit
trace_off() { echo 0 >$TI/events/block/block_rq_issue/enable; sleep 1; kill $BT; wait $BT 2>/dev/null; rmdir $TI; }
cap_end() { DEST=$ROOT/out/$1; mkdir -p "$DEST"
  df -B1 "$MNT" | tail -1 >"$W/df"; df -i "$MNT" | tail -1 >>"$W/df"
  sync -f "$MNT"; umount "$MNT"; n=0; while [ "$FS" = ntfs-3g ] && fuser -s "$DEV" 2>/dev/null && [ $((++n)) -lt 20 ]; do sleep .5; done
  sleep 1; trace_off; for d in read write; do echo "$MM 0" >$BLK/blkio.throttle.${d}_bps_device; done
  losetup -d "$DEV"; rmdir $CG $CC 2>/dev/null
  python3 $HERE/conv.py "$W/$NAME.csv" <"$W/raw.txt" || return 1
  zstd -q -f -19 -T2 "$W/$NAME.csv" -o "$DEST/$NAME.csv.zst"
  python3 $HERE/check.py "$DEST/$NAME.csv.zst" $((SIZE<<20)) | tee "$W/facts.json"
  cp "$W/facts.json" "$ROOT/scratch/$NAME.facts.json"; cp "$W/mountopts" "$ROOT/scratch/$NAME.mountopts"
  grep -c LOST "$W/raw.txt"; rm -f "$IMG" "$W/$NAME.csv"; }
