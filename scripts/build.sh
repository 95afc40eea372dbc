# Sourced after find-jdk.sh: build_if_stale builds the checkout $top when needed and sets CLASSPATH and JAVA_FLAGS.

# One short-lived process: the serial collector and the first compiler start fastest. The cache is made with the same flags: the
# JVM takes no cache that was made with others, and says nothing.
JAVA_FLAGS=(-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:+UseCompactObjectHeaders --enable-native-access=ALL-UNNAMED
    --sun-misc-unsafe-memory-access=allow -Djava.util.logging.config.file="$top/scripts/logging.properties")

is_stale() {
    [ ! -e "$stamp" ] || [ -n "$(find "$top"/pom.xml "$top"/*/pom.xml "$top"/*/src/main -newer "$stamp" -print -quit)" ]
}

build_if_stale() {
    local stamp=$top/cli/target/built
    if is_stale; then
        build
    fi
    CLASSPATH=$(cat "$stamp")
    [ -e "$top/cli/target/ouro.aot" ] && JAVA_FLAGS+=(-XX:AOTCache="$top/cli/target/ouro.aot" "-Xlog:aot*=off")
    return 0
}

build() {
    . "$top/scripts/find-maven.sh"
    (
        # Two builds at once would tear each other's files.
        flock 9
        # Somebody else may have built meanwhile.
        is_stale || exit 0
        begun=$(mktemp)
        echo "building ouro (once; later starts skip this) ..." >&2
        cd "$top"
        # Jars of an earlier build would stay on the class path.
        rm -rf cli/target/built cli/target/ouro.aot cli/target/lib
        export MAVEN_OPTS="${MAVEN_OPTS:-} --sun-misc-unsafe-memory-access=allow"
        mvn -q -B -ntp -pl cli -am -Dmaven.test.skip=true -Dspotless.check.skip package >&2
        classpath=$top/cli/target/$(cd cli/target && ls cli-*.jar | head -n 1)
        for jar in cli/target/lib/*.jar; do classpath=$classpath:$top/$jar; done
        # The ahead-of-time cache holds loaded and linked classes: it is what makes a start take a fraction of a second.
        training=$(mktemp -d)
        make_cache "$classpath" "$training" || {
            echo "ouro: no ahead-of-time cache could be made; every command will take longer to start" >&2
            rm -f cli/target/ouro.aot
        }
        rm -rf "$training"
        printf '%s' "$classpath" >cli/target/built.new
        # What was edited during the build is newer than the stamp.
        touch -r "$begun" cli/target/built.new
        rm -f "$begun"
        mv cli/target/built.new cli/target/built
    ) 9>"$top/.build.lock"
}

# Records what a run uses, and makes sure that the next run can take it: with AOTMode=on the JVM refuses to start without.
make_cache() {
    local run=(-cp "$1" dev.ouroboros.cli.Ouro)
    "$JAVA_HOME/bin/java" -XX:AOTCacheOutput=cli/target/ouro.aot "${JAVA_FLAGS[@]}" "${run[@]}" train docs/examples/cluster.yaml \
        "$2/assets" >/dev/null 2>&1 &&
        "$JAVA_HOME/bin/java" -XX:AOTCache=cli/target/ouro.aot -XX:AOTMode=on "${JAVA_FLAGS[@]}" "${run[@]}" --version >/dev/null 2>&1
}
