# To be sourced: `stage NAME COMMAND…` runs a command, tells how long it took, and, when something fails, where.

stage_name=""
stage_began=0

stage() {
    stage_name=$1
    stage_began=$SECONDS
    shift
    printf '\n== %s\n' "$stage_name"
    "$@"
    printf '== %s: %d s\n' "$stage_name" $((SECONDS - stage_began))
    stage_name=""
}

stage_report_failure() {
    local status=$?
    if [[ $status -ne 0 && -n $stage_name ]]; then
        printf '== %s: FAILED with exit code %d after %d s\n' \
            "$stage_name" "$status" $((SECONDS - stage_began)) >&2
    fi
}

trap stage_report_failure EXIT
