# Sourced: sets JAVA_HOME to a JDK 25 or newer, or says how to get one and exits 1.
# Looked for in JAVA_HOME, on PATH, and in the places where Debian, Temurin, SDKMAN and macOS put it.

jdk_major() {
    # The release file is read instead of running java: it takes no time. "25.0.3" -> 25, "17.0.15" -> 17.
    [ -x "$1/bin/javac" ] && [ -r "$1/release" ] &&
        sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release"
}

find_jdk() {
    local on_path candidate major
    on_path=$(command -v javac 2>/dev/null) && on_path=$(readlink -f "$on_path")
    for candidate in "${JAVA_HOME:-}" "${on_path%/bin/javac}" /usr/lib/jvm/* /opt/java/* /opt/jdk* \
        "$HOME"/.sdkman/candidates/java/* "$HOME"/.jdks/* /Library/Java/JavaVirtualMachines/*/Contents/Home; do
        [ -n "$candidate" ] || continue
        major=$(jdk_major "$candidate")
        if [ -n "$major" ] && [ "$major" -ge 25 ]; then
            export JAVA_HOME=$candidate
            return 0
        fi
    done
    echo "ouro needs a JDK 25 or newer and found none in JAVA_HOME, on PATH or in /usr/lib/jvm." >&2
    echo "Install one (Debian 13: apt-get install openjdk-25-jdk; others: Eclipse Temurin 25) or set JAVA_HOME." >&2
    return 1
}

find_jdk || exit 1
