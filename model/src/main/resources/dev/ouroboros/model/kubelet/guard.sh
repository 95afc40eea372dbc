#!/bin/bash
# guard.sh COMMAND...
#
# Tries another generation of this node's kubelet, and goes back to the one before by itself when it does not run. It needs no API, no network and no
# JVM: what wished for the other one may be gone together with the kubelet. COMMAND starts the kubelet's service anew.
#
# Files beside this script, and who writes them:
#   generations/NAME/   keeper or agent (base: who makes the node): run.sh, config.yaml, and of the kubelet: program, digest, healthz
#   trial               keeper or agent: NAME SECONDS [ready], a generation that is to be tried, and whether the Node is Ready (or was before another trial). It goes when the trial has ended
#   condemned           keeper or agent: NAME REASON, the generation that is tried must not stay
#   trying              the guard: NAME FROM BOOT BOOTS, what is tried, what was before, and how often the machine booted meanwhile
#   current             the guard: NAME, the generation that starts
#   back                the guard: NAME, what 'current' is to be when the trial fails; a disk that is full lets a file be renamed
#   outcomes/NAME       the guard: "confirmed", or "failed REASON"; keeper or agent remove the latter when another one that is wished runs
#   well                the guard: there since the kubelet that is tried is well; keeper or agent may look at its time
#   started             start.sh: NAME PID COUNT BOOT, what was started last, and how many starts there were
#
# Each file is whole before and after a loss of power, and this script goes on from any of them.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")" || exit 1
restart=("$@")

# How long the kubelet must be well, in seconds.
steady=${GUARD_STEADY:-30}
# Answers that may be missing meanwhile: a machine that is busy answers late.
most_silent=2
# A kubelet that ended so often is not waited for.
most_exits=3
# A machine that boots again and again while one is tried may do so because of it.
most_boots=2
# A service that waits for its network or for the container runtime is not the kubelet's fault.
starts_within=600
this_boot=$(</proc/sys/kernel/random/boot_id)

say() { echo "$(date --utc +%FT%TZ) guard: $*"; }

# Whoever starts this script does so again while there is a trial.
give_up() {
    say "$*"
    sleep 5
    exit 1
}

# By a clock that does not jump.
seconds() {
    local up
    read -r up _ </proc/uptime
    echo "${up%%.*}"
}

write() { # FILE TEXT
    printf '%s\n' "$2" >"$1.new" && sync "$1.new" && mv -fT "$1.new" "$1" && sync "$(dirname "$1")"
}

# A kubelet may have filled the disk: there is a little room for the way back.
durable() { # FILE TEXT
    write "$1" "$2" || { rm -f reserve && write "$1" "$2"; } || give_up "$1 cannot be written"
}

gone() {
    if ! rm -f "$1" || ! sync .; then give_up "$1 cannot be removed"; fi
}

# What a file says; nothing when it is not there. On an overlay a file that is being exchanged cannot be read for a moment.
text() { # FILE
    local try words
    for try in 1 2 3 4 5 6 7 8 9 10; do
        [ -e "$1" ] || return 0
        if { words=$(<"$1"); } 2>/dev/null; then
            echo "$words"
            return 0
        fi
        sleep 0.1
    done
    return 1
}

# Of one that is gone, or was made on another base, start.sh starts base instead.
startable() { # NAME
    if [ -e "generations/$1/run.sh" ] && cmp -s "generations/$1/base.json" generations/base/generation.json; then
        echo "$1"
    else
        echo base
    fi
}

starts() {
    local count=0
    read -r _ _ count _ < <(text started) || true
    echo "${count:-0}"
}

# Whether that generation was started since the machine booted.
is_started() { # NAME
    local generation='' boot=''
    read -r generation _ _ boot < <(text started) || true
    [ "$generation" = "$1" ] && [ "$boot" = "$this_boot" ]
}

is_well() { # NAME
    local address port line
    read -r address port <"generations/$1/healthz" || return 1
    # shellcheck disable=SC2016 # its own parameters
    line=$(timeout 5 /bin/bash -c 'exec 9<>"/dev/tcp/$0/$1" && printf "GET /healthz HTTP/1.0\r\n\r\n" >&9 && read -r line <&9 && echo "$line"' \
        "$address" "$port" 2>/dev/null)
    [[ $line == *" 200 "* ]]
}

# Whether the process is the program of that generation: as the kernel says, not as a file says that was written before.
runs() { # NAME PID
    local program wanted
    read -r program <"generations/$1/program" || return 1
    [ "$(readlink "/proc/$2/exe")" = "$program" ] || return 1
    [ -e "generations/$1/digest" ] || return 0
    read -r wanted <"generations/$1/digest" || return 1
    [ "$(sha256sum <"/proc/$2/exe")" = "$wanted  -" ]
}

# Why this machine cannot execute the program of that generation: it is none, another architecture's, or on a file system with noexec.
hindrance() { # NAME
    local program said
    read -r program <"generations/$1/program" || return 0
    # shellcheck disable=SC2016 # its own parameter
    said=$(timeout 60 /bin/bash -c 'exec "$0" --version' "$program" 2>&1)
    case $? in
    126 | 127)
        said=${said%%$'\n'*}
        echo "its program cannot be executed: ${said##*: }"
        ;;
    esac
}

end_trial() { # NAME
    local now=
    rm -f well reserve back
    gone condemned
    read -r now _ < <(text trial) || true
    # What was wished meanwhile is tried next.
    [ "$now" != "$1" ] || gone trial
    gone trying
}

# A service that was told and did not start is told again.
start_anew() { # NAME
    local before try
    for try in 1 2 3 4 5 6; do
        before=$(starts)
        "${restart[@]}" || say "the service was not started anew ($try)"
        for _ in 1 2 3 4 5 6 7 8 9 10; do
            if [ "$(starts)" != "$before" ] && is_started "$1"; then return; fi
            sleep 1
        done
        [ "$try" -lt "${2:-6}" ] || return
    done
}

go_back() { # NAME FROM REASON
    local former
    former=$(startable "$2")
    say "$1 does not stay: $3; back to $former"
    rm -f reserve
    write "outcomes/$1" "failed $3" || say "outcomes/$1 cannot be written"
    if [ "$(text current)" != "$former" ]; then
        if [ "$(text back)" = "$former" ]; then
            if ! mv -fT back current || ! sync .; then give_up "current cannot be exchanged"; fi
        else
            durable current "$former"
        fi
    fi
    is_started "$former" || start_anew "$former"
    is_started "$former" || give_up "$former was not started"
    end_trial "$1"
}

confirm() { # NAME
    say "$1 runs, and stays"
    durable "outcomes/$1" confirmed
    end_trial "$1"
}

# Until it is clear whether a generation stays. Returns 1 when another one is wished meanwhile.
watch() { # NAME FROM SECONDS
    local name=$1 from=$2 limit=$3 begun now first='' well_since=0 well_pid=0 silent=0
    local wished doomed reason generation pid count boot
    begun=$(seconds)
    while :; do
        now=$(seconds)
        wished=
        read -r wished _ < <(text trial) || true
        [ -z "$wished" ] || [ "$wished" = "$name" ] || return 1
        doomed='' reason=''
        read -r doomed reason < <(text condemned) || true
        if [ "$doomed" = "$name" ]; then
            go_back "$name" "$from" "${reason:-condemned}"
            return
        fi
        generation='' pid=0 count=0 boot=''
        read -r generation pid count boot < <(text started) || true
        if [ "$generation" = "$name" ] && [ "$boot" = "$this_boot" ]; then
            if [ -z "$first" ]; then first=$count begun=$now; fi
            if [ $((count - first)) -ge "$most_exits" ]; then
                go_back "$name" "$from" "its kubelet ended $most_exits times"
                return
            fi
            if is_well "$name"; then
                silent=0
                if [ "$pid" != "$well_pid" ]; then
                    well_pid=$pid well_since=$now
                    rm -f well && : >well
                fi
            else
                silent=$((silent + 1))
            fi
            if [ "$pid" != "$well_pid" ] || [ "$silent" -gt "$most_silent" ]; then
                well_pid=0
                rm -f well
            elif [ "$silent" -eq 0 ] && [ $((now - well_since)) -ge "$steady" ]; then
                if runs "$name" "$pid"; then
                    confirm "$name"
                else
                    go_back "$name" "$from" "process $pid is another program"
                fi
                return
            fi
            if [ $((now - begun)) -ge "$limit" ] && [ "$well_pid" = 0 ]; then
                go_back "$name" "$from" "its kubelet was not well for $steady s within $limit s"
                return
            fi
        elif [ $((now - begun)) -ge "$starts_within" ]; then
            go_back "$name" "$from" "it was not started within $starts_within s"
            return
        fi
        sleep 1
    done
}

try_one() {
    local name='' limit=120 from='' boots=0 tried='' boot='' running='' hindered=''
    read -r name limit _ < <(text trial) || true
    if [ -z "$name" ] || [ ! -e "generations/$name/run.sh" ]; then
        say "there is no generation '$name'"
        gone trial
        sleep 1
        return
    fi
    [[ $limit =~ ^[0-9]+$ ]] || limit=120
    mkdir -p outcomes
    [ -e reserve ] || head -c 65536 /dev/zero >reserve
    read -r tried from boot boots < <(text trying) || true
    boots=${boots:-0}
    if [ "$tried" = "$name" ]; then
        if [ -e "outcomes/$name" ]; then
            # This script ended, or the machine lost its power, after it was clear.
            case $(<"outcomes/$name") in
                confirmed) end_trial "$name" ;;
                *) go_back "$name" "$from" "$(sed 's/^failed //' "outcomes/$name")" ;;
            esac
            return
        fi
        if [ "$boot" != "$this_boot" ]; then
            boots=$((boots + 1))
            durable trying "$name $from $this_boot $boots"
        fi
        if [ "$boots" -gt "$most_boots" ]; then
            go_back "$name" "$from" "the machine booted $boots times while it was tried"
            return
        fi
    else
        # One that is wished in the middle of a trial has to do with what ran before both; one that was confirmed is what ran.
        if [ -z "$from" ] || [ "$(cat "outcomes/$tried" 2>/dev/null)" = confirmed ]; then
            from=
            read -r from < <(text current) || true
            from=$(startable "${from:-base}")
        fi
        durable back "$from"
        rm -f well
        gone "outcomes/$name"
        gone condemned
        durable trying "$name $from $this_boot 0"
    fi
    read -r running < <(text current) || true
    running=${running:-base}
    if [ "$running" != "$name" ]; then
        hindered=$(hindrance "$name")
        if [ -n "$hindered" ]; then
            go_back "$name" "$from" "$hindered"
            return
        fi
        say "trying $name instead of $running"
        durable current "$name"
        start_anew "$name" 1
    elif [ "$boots" -eq 0 ] && ! is_started "$name"; then
        start_anew "$name" 1
    fi
    watch "$name" "$from" "$limit" || say "another one is wished instead of $name"
}

while [ -e trial ]; do try_one; done
# Where this script ended between the two. Of one that is not clear it says what was before.
tried=
read -r tried _ < <(text trying) || true
if [ ! -e trial ] && [ -n "$tried" ] && [ -e "outcomes/$tried" ]; then gone trying; fi
