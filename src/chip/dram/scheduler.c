#include "chip/dram/scheduler.h"

extern const struct dram_scheduler dram_frfcfs, dram_fcfs;

static const struct dram_scheduler *const schedulers[DRAM_SCHEDULERS] = {
    [DRAM_FRFCFS] = &dram_frfcfs,
    [DRAM_FCFS] = &dram_fcfs,
};

const struct dram_loops *dram_scheduler_loops(const struct dram_rules *rules, bool ranked)
{
    bool scans = rules->conf.commands != COMMANDS_COLUMNS;
    return &schedulers[rules->conf.scheduler]->loops[ranked][scans][rules->bank_mask / BANKS_EACH];
}
