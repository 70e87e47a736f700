#!/usr/bin/env bats
# tools/parts notices a write to each part of the SM from the files of another.

setup() {
    cd "$BATS_TEST_TMPDIR"
    local tree=$BATS_TEST_DIRNAME/../..
    mkdir tools
    cp "$tree/tools/parts" tools
    cp -r "$tree/src" "$tree/include" .
}

# FILE STATEMENT TEXT: adds a function with the statement to the file; tools/parts must print TEXT
noticed() {
    cp "$1" was
    printf 'void strange(struct sm *sm, struct context *c, struct seat *s)\n{\n    %s;\n}\n' \
        "$2" >>"$1"
    run tools/parts "$1"
    mv was "$1"
    [ "$status" = 1 ]
    [[ $output == *"$1"*"$3"* ]] || { echo "$output"; false; }
}

@test "a foreign write to each part" {
    local sm=src/chip/sm
    noticed $sm/policy/gate.c 'sm->front.issue_at = 0' read-only
    noticed $sm/lsu/ldst.c 'sm->port.memory_room++' read-only
    noticed $sm/blocks/transfer.c 'sm->lsu.events |= 1' read-only
    noticed $sm/residency/seats.c 'sm->blocks.free_blocks = 0' read-only
    noticed $sm/blocks/block.c 'sm->residency.look = true' read-only
    noticed $sm/front/scheduler.c 'sm->policy.urgent = 0' read-only
    noticed src/gpu/step.c 'sm->blocks.retired_n = 0' read-only
    noticed $sm/sm.c 'sm->front.scheduler[0].stall = NULL' read-only
}

@test "a foreign write through a pointer" {
    local sm=src/chip/sm
    noticed $sm/policy/gate.c 's = &sm->front.seats[0]' discards
    noticed $sm/lsu/pending.c 's = c->seat' discards
    noticed $sm/blocks/life.c 'sm->lsu.pending[0].left = 1' read-only
    noticed $sm/front/wake.c 'sm->port.result[3] = 2' read-only
    noticed $sm/front/wake.c '--c->stores' 'blocks/ writes --c->stores'
    noticed $sm/port/release.c 'c->block->context[0]->wait = 1' 'blocks/ writes'
    noticed $sm/front/issue.c 'c->wait = WAIT_NOTHING' 'blocks/ writes c->wait'
    noticed $sm/port/release.c 'lsu_of(sm)->events = 0' 'lsu_of is for lsu/'
    noticed $sm/blocks/life.c 'seat_of(s)->rank = 0' 'seat_of is for front/'
    noticed $sm/policy/quota.c 'stalls_catch_up(sm, 0)' 'stalls_catch_up is for front/'
}
