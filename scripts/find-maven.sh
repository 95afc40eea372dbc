# Sourced: checks that Maven is there, or says how to get it and exits 1.

command -v mvn >/dev/null || {
    echo "Maven is missing: apt-get install maven" >&2
    exit 1
}
