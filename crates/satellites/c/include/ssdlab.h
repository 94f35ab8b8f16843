/* ssdlab: write buffers and flash translation layers over flash that you provide. See docs/firmware.md.
 * Made of crates/satellites/c by `cargo xtask header`. */

#ifndef SSDLAB_H
#define SSDLAB_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/*
 It worked.
 */
#define SSDLAB_OK 0

/*
 Of a function of the flash: the page could not be programmed. The FTL gives up; a layer that replaces bad blocks belongs
 below it.
 */
#define SSDLAB_PROGRAM_FAILED 1

/*
 Of a function of the flash: the block could not be erased.
 */
#define SSDLAB_ERASE_FAILED 2

/*
 Of a function of the flash: the page has more wrong bits than can be corrected.
 */
#define SSDLAB_UNCORRECTABLE 3

/*
 Of a function of the flash: power is lost. The drive must be closed and mounted again.
 */
#define SSDLAB_POWER_LOST 4

/*
 Of the library: an argument is wrong, and nothing was done.
 */
#define SSDLAB_INVALID 64

/*
 Of the library: the drive failed earlier, or the flash did now. It must be closed and mounted again.
 */
#define SSDLAB_FAILED 65

/*
 Of the library: a defect of the library. The drive must be closed.
 */
#define SSDLAB_DEFECT 66

/*
 The spare area is erased: the page was not programmed since the last erase of its block.
 */
#define SSDLAB_ERASED 0

/*
 A program or an erase was interrupted here: the page is neither readable nor free.
 */
#define SSDLAB_TORN 1

/*
 The page is programmed.
 */
#define SSDLAB_GOOD 2

/*
 A policy of a write buffer: it keeps only orders, and names victims. One thread at a time may use it.
 */
typedef struct ssdlab_buffer_t ssdlab_buffer_t;

/*
 A drive: a write buffer and an FTL over flash of the caller. One thread at a time may use it.
 */
typedef struct ssdlab_drive_t ssdlab_drive_t;

/*
 What a drive of a configuration needs.
 */
typedef struct ssdlab_shape_t {
    /*
     Bytes for the host.
     */
    uint64_t capacity;
    /*
     The RAM that a controller needs for its tables and its buffer, in bytes.
     */
    uint64_t controller_ram;
    /*
     Bytes of a page.
     */
    uint32_t page_size;
    /*
     Pages of an erase block.
     */
    uint32_t pages_per_block;
    /*
     Logical pages.
     */
    uint32_t logical_pages;
    /*
     Erase blocks that the flash must have.
     */
    uint32_t physical_blocks;
    /*
     Whether the FTL programs the pages of a block in any order, which only small-block SLC flash allows.
     */
    bool any_order;
} ssdlab_shape_t;

/*
 The metadata of a page, which its program writes with it, whole or not at all: 13 bytes of the spare area.
 */
typedef struct ssdlab_spare_t {
    /*
     Grows with every program and discard of the drive.
     */
    uint64_t sequence;
    /*
     The logical page that the page holds.
     */
    uint32_t page;
    /*
     Why the FTL programmed it.
     */
    uint8_t role;
    /*
     SSDLAB_ERASED, SSDLAB_TORN or SSDLAB_GOOD; set by `read_spare`.
     */
    uint8_t state;
} ssdlab_spare_t;

/*
 The flash below a drive. Each function gets `context` first, is called from the thread that called the drive, and returns
 SSDLAB_OK, a code of the flash, or a negative code of its own, with which the drive fails. Pages of the flash are numbered
 through: block * pages of a block + place in the block.
 */
typedef struct ssdlab_flash_t {
    /*
     The first argument of every function.
     */
    void *context;
    /*
     Programs a page and its spare area. Pages of a block are programmed in ascending order, each once until the next erase,
     unless `any_order` of the shape is set.
     */
    int32_t (*program)(void*, uint32_t at, const uint8_t *data, const struct ssdlab_spare_t *spare);
    /*
     Reads a programmed page.
     */
    int32_t (*read)(void*, uint32_t at, uint8_t *data);
    /*
     Reads the spare area of a page, with its state. Called for every page when the drive is mounted.
     */
    int32_t (*read_spare)(void*, uint32_t at, struct ssdlab_spare_t *spare);
    /*
     Erases a block.
     */
    int32_t (*erase)(void*, uint32_t block);
    /*
     Returns when all earlier operations are durable. Null if each is when it returns.
     */
    int32_t (*barrier)(void*);
    /*
     The erases of a block so far. Null: they are counted from 0 when the drive is opened.
     */
    uint32_t (*erase_count)(void*, uint32_t block);
    /*
     Records outside these blocks that a logical page was discarded, with a sequence number. Null: discards are refused.
     */
    int32_t (*record_discard)(void*, uint32_t page, uint64_t sequence);
    /*
     The sequence number of the last record of a page; 0 if there is none. Null if `record_discard` is.
     */
    int32_t (*discarded_at)(void*, uint32_t page, uint64_t *sequence);
} ssdlab_flash_t;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 A policy by its name, such as "lru" or "cbb", with its default parameters, for a buffer of `pages` pages before
 `logical_blocks` blocks of `pages_per_block` pages. Null on an error; `error` says why. To be freed by ssdlab_buffer_free.

 # Safety
 `name` is a text, and `error` is null or has room for `error_length` bytes.
 */
struct ssdlab_buffer_t *ssdlab_buffer_new(const char *name,
                                          uint32_t pages,
                                          uint32_t logical_blocks,
                                          uint32_t pages_per_block,
                                          char *error,
                                          size_t error_length);

/*
 Frees a policy. Null is none.

 # Safety
 `buffer` is null or from ssdlab_buffer_new, and not freed.
 */
void ssdlab_buffer_free(struct ssdlab_buffer_t *buffer);

/*
 The host writes or reads a page: it is held from now on.

 # Safety
 `buffer` is from ssdlab_buffer_new.
 */
int32_t ssdlab_buffer_use(struct ssdlab_buffer_t *buffer, uint32_t page, bool writes);

/*
 A page left: it was discarded.

 # Safety
 `buffer` is from ssdlab_buffer_new.
 */
int32_t ssdlab_buffer_left(struct ssdlab_buffer_t *buffer, uint32_t page);

/*
 The pages to write now, to make room: puts them at `pages`, in ascending order, which must have room for those of a block,
 and their number at `count`. They are no longer held. `*pads` says whether the pages of their block that are missing should
 be read and written with them. SSDLAB_INVALID if no page is held.

 # Safety
 `buffer` is from ssdlab_buffer_new, `pages` has room for the pages of a block, and `count` and `pads` point to a place each.
 */
int32_t ssdlab_buffer_victim(struct ssdlab_buffer_t *buffer,
                             uint32_t *pages,
                             uint32_t *count,
                             bool *pads);

/*
 What a drive with these settings needs. `settings` is the text of a configuration file, as the program takes it: TOML, also
 with a preset. On SSDLAB_INVALID, `error` (of `error_length` bytes, or null) says why.

 # Safety
 `settings` is a text, `shape` points to a shape, and `error` is null or has room for `error_length` bytes.
 */
int32_t ssdlab_shape(const char *settings,
                     struct ssdlab_shape_t *shape,
                     char *error,
                     size_t error_length);

/*
 Opens a drive: as new on erased flash, or else as the spare areas say. Reads each of them. Puts the drive at `drive`, to be
 closed by ssdlab_close; on an error nothing is there, and `error` says why. `flash` is copied, its context is not.

 # Safety
 `settings` is a text, `flash` points to functions that take these arguments, `drive` to room for a pointer, and `error` is
 null or has room for `error_length` bytes.
 */
int32_t ssdlab_open(const char *settings,
                    const struct ssdlab_flash_t *flash,
                    struct ssdlab_drive_t **drive,
                    char *error,
                    size_t error_length);

/*
 Closes a drive without a flush: what was not flushed may be lost, as at a power cut. Null is no drive.

 # Safety
 `drive` is null or from ssdlab_open, and not closed.
 */
void ssdlab_close(struct ssdlab_drive_t *drive);

/*
 Writes `size` bytes from `offset` on. They survive a power cut after the next ssdlab_flush.

 # Safety
 `drive` is an open drive, and there are `size` bytes at `data`.
 */
int32_t ssdlab_write(struct ssdlab_drive_t *drive, uint64_t offset, const uint8_t *data, size_t size);

/*
 Reads `size` bytes from `offset` on. What was never written, or was discarded, is zeros.

 # Safety
 `drive` is an open drive, and there is room for `size` bytes at `data`.
 */
int32_t ssdlab_read(struct ssdlab_drive_t *drive, uint64_t offset, uint8_t *data, size_t size);

/*
 Writes the buffer back. What was written before survives a power cut.

 # Safety
 `drive` is an open drive.
 */
int32_t ssdlab_flush(struct ssdlab_drive_t *drive);

/*
 Discards the whole pages in a range of bytes, which then read as zeros.

 # Safety
 `drive` is an open drive.
 */
int32_t ssdlab_discard(struct ssdlab_drive_t *drive, uint64_t offset, uint64_t size);

/*
 The value of a counter since the drive was opened, by its name in docs/semantics.md: "erases", "host_write_pages".

 # Safety
 `drive` is an open drive, `name` a text, and `value` points to room for the value.
 */
int32_t ssdlab_counter(const struct ssdlab_drive_t *drive, const char *name, uint64_t *value);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* SSDLAB_H */
