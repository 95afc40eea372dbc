#!/bin/bash
# start.sh
#
# What the kubelet's service runs: becomes the kubelet of the generation that 'current' names, or of 'base' where there is no such file, or where the node was made
# anew under that generation: its keeper or agent wishes it again then, and the guard tries it. See guard.sh beside it.
set -uo pipefail
directory=$(dirname "$(readlink -f "$0")")
cd "$directory" || exit 1

durable() { # FILE TEXT
    printf '%s\n' "$2" >"$1.new" && sync "$1.new" && mv -fT "$1.new" "$1" && sync "$(dirname "$1")"
}

# What state files depend on, as a name of a directory.
state_of() { # GENERATION
    local sum
    sum=$(sha256sum <"generations/$1/state")
    echo "${sum:0:16}"
}

generation=
[ ! -e current ] || read -r generation <current
if [ -z "$generation" ] || [ ! -e "generations/$generation/run.sh" ] ||
    ! cmp -s "generations/$generation/base.json" generations/base/generation.json; then
    generation=base
fi

count=0
[ ! -e started ] || read -r _ _ count _ <started || true
[[ $count =~ ^[0-9]+$ ]] || count=0

# A kubelet does not start with state files of another policy or minor version. They wait beside their place for one that can read them, and none is deleted or
# written over: 'state-owner' says whose are in their place, and 'none' while they are being exchanged.
wanted=$(state_of "$generation")
owner=
[ ! -e state-owner ] || read -r owner <state-owner || true
[ -n "$owner" ] || owner=$wanted
if [ "$owner" != "$wanted" ] && [ -e "generations/$generation/state-files" ]; then
    whole=yes
    while read -r file; do
        away=$(dirname "$file")/ouroboros-kubelet-state/$owner
        if [ "$owner" != none ] && [ -e "$file" ] && [ ! -e "$away/${file##*/}" ]; then
            if ! mkdir -p "$away" || ! mv -T "$file" "$away/${file##*/}" || ! sync "$away" "$(dirname "$file")"; then whole=no; fi
        fi
    done <"generations/$generation/state-files"
    # Where one cannot be put away, all stay whose they are: this kubelet may not start with them, and the former one does.
    if [ "$whole" = yes ] && durable state-owner none; then
        while read -r file; do
            back=$(dirname "$file")/ouroboros-kubelet-state/$wanted/${file##*/}
            if [ -e "$back" ] && [ ! -e "$file" ]; then
                mv -T "$back" "$file" && sync "$(dirname "$file")"
            fi
        done <"generations/$generation/state-files"
        durable state-owner "$wanted"
    fi
elif [ ! -e state-owner ]; then
    durable state-owner "$wanted"
fi

now="$generation $$ $((count + 1)) $(</proc/sys/kernel/random/boot_id)"
# On a disk that is full there is room in the file that is there.
if ! echo "$now" >started.new || ! mv -f started.new started; then echo "$now" 1<>started; fi
cd / || exit 1
# shellcheck source=/dev/null
. "$directory/generations/$generation/run.sh"
