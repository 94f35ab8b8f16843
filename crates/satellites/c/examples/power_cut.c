/* A drive over flash in memory, whose power is cut at every operation: what was flushed must be there.
 *
 *     cc -I crates/satellites/c/include crates/satellites/c/examples/power_cut.c target/release/libssdlab_c.a -lm
 */
#include <ssdlab.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char SETTINGS[] =
    "[flash]\ncapacity = \"256KiB\"\npage_size = 2048\npages_per_block = 8\n"
    "[ftl]\nkind = \"page\"\nover_provisioning = 0.4\n"
    "[buffer]\npolicy = \"fab\"\nsize = \"16KiB\"\n";

enum { PAGE = 2048, SECTORS = 64, WRITES = 400 };

/* flash in memory */
struct flash {
    ssdlab_shape_t shape;
    uint8_t *data;
    ssdlab_spare_t *spares;
    uint32_t *erases;
    uint64_t *discards;
    unsigned long operations;
    unsigned long cut_at; /* the operation that is torn; 0: none */
};

/* Whether an operation still happens; the one that is cut is torn. */
static int32_t power(struct flash *flash) {
    flash->operations++;
    return flash->cut_at && flash->operations >= flash->cut_at ? SSDLAB_POWER_LOST : SSDLAB_OK;
}

static int32_t program(void *context, uint32_t at, const uint8_t *data, const ssdlab_spare_t *spare) {
    struct flash *flash = context;
    if (flash->spares[at].state != SSDLAB_ERASED) {
        fprintf(stderr, "page %u is programmed twice\n", (unsigned)at);
        exit(1);
    }
    if (power(flash)) {
        if (flash->operations == flash->cut_at)
            flash->spares[at].state = SSDLAB_TORN;
        return SSDLAB_POWER_LOST;
    }
    memcpy(flash->data + (size_t)at * PAGE, data, PAGE);
    flash->spares[at] = *spare;
    return SSDLAB_OK;
}

static int32_t read_page(void *context, uint32_t at, uint8_t *data) {
    struct flash *flash = context;
    memcpy(data, flash->data + (size_t)at * PAGE, PAGE);
    return SSDLAB_OK;
}

static int32_t read_spare(void *context, uint32_t at, ssdlab_spare_t *spare) {
    struct flash *flash = context;
    *spare = flash->spares[at];
    return SSDLAB_OK;
}

static int32_t erase(void *context, uint32_t block) {
    struct flash *flash = context;
    uint32_t pages = flash->shape.pages_per_block;
    int32_t lost = power(flash);
    if (lost && flash->operations != flash->cut_at)
        return lost;
    for (uint32_t i = 0; i < pages; i++)
        flash->spares[block * pages + i].state = lost ? SSDLAB_TORN : SSDLAB_ERASED;
    flash->erases[block] += !lost;
    return lost;
}

static uint32_t erase_count(void *context, uint32_t block) {
    return ((struct flash *)context)->erases[block];
}

static int32_t record_discard(void *context, uint32_t page, uint64_t sequence) {
    struct flash *flash = context;
    if (power(flash))
        return SSDLAB_POWER_LOST;
    flash->discards[page] = sequence;
    return SSDLAB_OK;
}

static int32_t discarded_at(void *context, uint32_t page, uint64_t *sequence) {
    *sequence = ((struct flash *)context)->discards[page];
    return SSDLAB_OK;
}

static void *zeroed(size_t number, size_t size) {
    void *place = calloc(number, size);
    if (!place)
        exit(1);
    return place;
}

static ssdlab_drive_t *open_drive(struct flash *flash) {
    ssdlab_flash_t functions = {
        .context = flash,
        .program = program,
        .read = read_page,
        .read_spare = read_spare,
        .erase = erase,
        .erase_count = erase_count,
        .record_discard = record_discard,
        .discarded_at = discarded_at,
    };
    ssdlab_drive_t *drive;
    char error[200];
    if (ssdlab_open(SETTINGS, &functions, &drive, error, sizeof error)) {
        fprintf(stderr, "%s\n", error);
        exit(1);
    }
    return drive;
}

/* One life: writes and flushes until the power is cut, then mounts the flash and reads all. Returns its operations. */
static unsigned long life(unsigned long cut_at) {
    struct flash flash = {.cut_at = cut_at};
    ssdlab_shape(SETTINGS, &flash.shape, NULL, 0);
    size_t pages = (size_t)flash.shape.physical_blocks * flash.shape.pages_per_block;
    flash.data = zeroed(pages, PAGE);
    flash.spares = zeroed(pages, sizeof *flash.spares);
    flash.erases = zeroed(flash.shape.physical_blocks, sizeof *flash.erases);
    flash.discards = zeroed(flash.shape.logical_pages, sizeof *flash.discards);

    /* of each page: the version of the last flush, and the last one that was written */
    uint32_t flushed[SECTORS] = {0}, written[SECTORS] = {0};
    uint32_t random = 1, version = 0;
    ssdlab_drive_t *drive = open_drive(&flash);
    while (version < WRITES) {
        random = random * 1664525 + 1013904223;
        uint32_t at = (random >> 16) % SECTORS, data[PAGE / 4];
        written[at] = ++version;
        for (size_t i = 0; i < PAGE / 4; i++)
            data[i] = version;
        if (ssdlab_write(drive, (uint64_t)at * PAGE, (uint8_t *)data, PAGE))
            break;
        if (version % 10 == 0) {
            if (ssdlab_flush(drive))
                break;
            memcpy(flushed, written, sizeof flushed);
        }
    }
    ssdlab_close(drive);

    unsigned long operations = flash.operations;
    flash.cut_at = 0;
    drive = open_drive(&flash);
    for (uint32_t at = 0; at < SECTORS; at++) {
        uint32_t data[PAGE / 4];
        int32_t code = ssdlab_read(drive, (uint64_t)at * PAGE, (uint8_t *)data, PAGE);
        if (code || data[0] < flushed[at] || data[0] > written[at] || data[0] != data[PAGE / 4 - 1]) {
            fprintf(stderr, "cut at %lu: page %u has version %u, not %u to %u (code %d)\n", cut_at, (unsigned)at,
                    (unsigned)data[0], (unsigned)flushed[at], (unsigned)written[at], (int)code);
            exit(1);
        }
    }
    ssdlab_close(drive);
    free(flash.data);
    free(flash.spares);
    free(flash.erases);
    free(flash.discards);
    return operations;
}

/* A policy alone: the caller keeps the pages. */
static void policy_alone(void) {
    char error[200];
    ssdlab_buffer_t *buffer = ssdlab_buffer_new("fab", 4, 2, 4, error, sizeof error);
    uint32_t victims[4], count;
    bool pads;
    uint32_t used[] = {0, 5, 4, 6};
    for (size_t i = 0; i < 4; i++)
        ssdlab_buffer_use(buffer, used[i], true);
    if (!buffer || ssdlab_buffer_victim(buffer, victims, &count, &pads)) {
        fprintf(stderr, "no victim: %s\n", error);
        exit(1);
    }
    printf("fab evicts %u pages, from page %u on\n", (unsigned)count, (unsigned)victims[0]);
    ssdlab_buffer_free(buffer);
}

int main(void) {
    policy_alone();
    unsigned long operations = life(0);
    for (unsigned long cut = 1; cut <= operations; cut++)
        life(cut);
    printf("%lu power cuts, nothing lost that was flushed\n", operations);
    return 0;
}
