#!/bin/bash
# Starts a Slurm of one machine for tests; as root, without systemd. FOLDER holds all state: a Slurm
# of the machine is left alone; only munge's key and socket are the machine's.
#   test/slurm/cluster.sh start FOLDER     export SLURM_CONF=FOLDER/slurm.conf afterwards
#   test/slurm/cluster.sh slurmd FOLDER    restart the killed daemon of the node
#   test/slurm/cluster.sh stop FOLDER      stop every daemon started, and end jobs left over
set -eu
command=$1 folder=$2
export SLURM_CONF=$folder/slurm.conf
PATH=$PATH:/usr/sbin:/sbin

until_true() { # SECONDS COMMAND...
    local left=$(($1 * 5))
    shift
    until "$@" >"$folder/last.log" 2>&1; do
        if ((left-- == 0)); then
            echo "not within its time: $*" >&2
            cat "$folder/last.log" >&2
            return 1
        fi
        sleep 0.2
    done
}

free_port() {
    python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}

write_conf() {
    local host node
    host=$(hostname -s)
    node=$(slurmd -C | head -n 1) # NodeName=... CPUs=... RealMemory=...
    cat >"$SLURM_CONF" <<CONF
ClusterName=coruntest
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket,cred_expire=10
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0
ReturnToService=2
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmdSpoolDir=$folder/spool
StateSaveLocation=$folder/state
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmctldTimeout=30
SlurmdTimeout=20
KillWait=2
PropagatePrioProcess=1
MaxArraySize=1001
$node NodeAddr=127.0.0.1 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
}

start() {
    mkdir -p "$folder/spool" "$folder/state" "$folder/munge"
    chmod 700 "$folder/munge"
    write_conf
    head -c 1024 /dev/urandom >"$folder/munge/key"
    chmod 400 "$folder/munge/key"
    chown -R munge: "$folder/munge" 2>/dev/null || true
    munged --force --key-file="$folder/munge/key" --socket="$folder/munge.socket" \
        --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" \
        --seed-file="$folder/munge/seed"
    slurmctld
    slurmd
    until_true 30 scontrol ping
    until_true 30 node_is_up
}

node_is_up() {
    scontrol show node | grep -q 'State=\(IDLE\|MIXED\|ALLOCATED\) '
}

gone() { ! kill -0 "$1" 2>/dev/null; }

end() { # NAME: ends the daemon NAME, by the process id noted by the daemon
    local pid
    pid=$(cat "$folder/$1.pid" 2>/dev/null) || return 0
    kill "$pid" 2>/dev/null || return 0
    until_true 20 gone "$pid" || kill -9 "$pid"
}

stop() {
    if scancel --user="$(id -un)" 2>/dev/null; then until_true 30 queue_is_empty || true; fi
    end slurmd
    end slurmctld
    end munged
}

queue_is_empty() { [ -z "$(squeue --noheader)" ]; }

case $command in
start) start ;;
slurmd) slurmd && until_true 40 node_is_up ;;
stop) stop ;;
esac
