package dev.ouroboros.sandbox;

/**
 * Something of a sandbox that exists on this machine.
 *
 * @param kind what kind of thing
 * @param what which one, for people
 */
public record Leftover(Kind kind, String what) {
    public enum Kind {
        PROCESS("process"),
        MOUNT("mount"),
        LOOP_DEVICE("loop device"),
        NETWORK_DEVICE("network device"),
        CGROUP("control group"),
        FILES("files");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    @Override
    public String toString() {
        return kind + " " + what;
    }
}
