#!/usr/bin/env bats
# Results taken elsewhere: the schema of the JSON, and databases as CSV.
load common

@test "the schema of every result" {
    corun list result --schema
    ended 0
    [ "$output" = "$(cat "$HERE/../../docs/result.schema.json")" ]
    holds "d['\$schema'].endswith('2020-12/schema') and 'result' in d['\$defs']"
    corun list result
    ended 0
    shows leading_resource "null, never 0" "A table of the database"
    corun list stats --schema
    refused "--schema goes with list result only"
}
