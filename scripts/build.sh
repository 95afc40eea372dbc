# Sourced after find-jdk.sh: build_if_stale builds the checkout $top when needed and sets CLASSPATH and JAVA_FLAGS; quick_build makes one
# module and what it needs.

# One short-lived process: the serial collector and the first compiler start fastest. Figures for jstat would be a file in /tmp; where
# that is full, java says so on standard output. The cache is made with the same flags: the
# JVM takes no cache that was made with others, and says nothing.
JAVA_FLAGS=(-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:+UseCompactObjectHeaders --enable-native-access=ALL-UNNAMED
    --sun-misc-unsafe-memory-access=allow -XX:-UsePerfData -Djava.util.logging.config.file="$top/scripts/logging.properties")

is_stale() {
    [ ! -e "$stamp" ] || [ -n "$(find "$top"/pom.xml "$top"/*/pom.xml "$top"/*/src/main -newer "$stamp" -print -quit)" ]
}

build_if_stale() {
    local stamp=$top/cli/target/quick/built
    if is_stale; then
        build
    fi
    CLASSPATH=$(cat "$stamp")
    [ -e "$top/cli/target/quick/ouro.aot" ] && JAVA_FLAGS+=(-XX:AOTCache="$top/cli/target/quick/ouro.aot" "-Xlog:aot*=off")
    return 0
}

# quick_build MODULE: into target/quick of each module, without static checks (profile "quick" of the POM), saying which module it is at.
quick_build() {
    . "$top/scripts/find-maven.sh"
    echo "building $1 ..." >&2
    (
        cd "$top"
        export MAVEN_OPTS="${MAVEN_OPTS:-} --sun-misc-unsafe-memory-access=allow"
        set -o pipefail
        mvn -B -ntp -T 2 -Pquick -pl "$1" -am package |
            sed -un -e 's/^\[INFO\] Building \([a-z0-9-]*\) .*\[\([0-9]*\/[0-9]*\)\]$/  \2 \1/p' -e '/^\[ERROR\]/p' >&2
    )
}

build() {
    (
        # Two builds at once would tear each other's files.
        flock 9
        # Somebody else may have built meanwhile.
        is_stale || exit 0
        begun=$(mktemp)
        echo "ouro is built once; later starts skip this" >&2
        cd "$top"
        # Jars of an earlier build would stay on the class path.
        rm -rf cli/target/quick/built cli/target/quick/ouro.aot cli/target/quick/lib
        quick_build cli
        echo "  making a cache of loaded classes" >&2
        classpath=$top/cli/target/quick/$(cd cli/target/quick && ls cli-*.jar | head -n 1)
        for jar in cli/target/quick/lib/*.jar; do classpath=$classpath:$top/$jar; done
        # The ahead-of-time cache holds loaded and linked classes: it is what makes a start take a fraction of a second.
        training=$(mktemp -d)
        make_cache "$classpath" "$training" || {
            echo "ouro: no ahead-of-time cache could be made; every command will take longer to start" >&2
            rm -f cli/target/quick/ouro.aot
        }
        rm -rf "$training"
        printf '%s' "$classpath" >cli/target/quick/built.new
        # What was edited during the build is newer than the stamp.
        touch -r "$begun" cli/target/quick/built.new
        rm -f "$begun"
        mv cli/target/quick/built.new cli/target/quick/built
    ) 9>"$top/.build.lock"
}

# Records what a run uses, and makes sure that the next run can take it: with AOTMode=on the JVM refuses to start without.
make_cache() {
    local run=(-cp "$1" dev.ouroboros.cli.Ouro)
    "$JAVA_HOME/bin/java" -XX:AOTCacheOutput=cli/target/quick/ouro.aot "${JAVA_FLAGS[@]}" "${run[@]}" train docs/examples/cluster.yaml \
        "$2/assets" >/dev/null 2>&1 &&
        "$JAVA_HOME/bin/java" -XX:AOTCache=cli/target/quick/ouro.aot -XX:AOTMode=on "${JAVA_FLAGS[@]}" "${run[@]}" --version >/dev/null 2>&1
}
