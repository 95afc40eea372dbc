package dev.ouroboros.keeper.balancer.decide;

/** What a node thinks of an API server of another one. */
public enum Standing {
    /** It answers that it is ready. */
    READY("ready"),
    /** It is ready again, and not for long. */
    RETURNS("returns"),
    /** It answers that it is not ready, or garbage. */
    NOT_READY("not ready"),
    /** It was not asked yet, or there is nothing to ask with. */
    UNKNOWN("unknown"),
    /** It refuses connections. */
    CLOSED("closed"),
    /** It takes connections and answers nothing: its process hangs. */
    SILENT("silent"),
    /** Nobody answers there at all: its node is off, or cannot be reached. */
    AWAY("away");

    private final String word;

    Standing(String word) {
        this.word = word;
    }

    /** For people. */
    public String word() {
        return word;
    }

    /** Whether a client that gets there may be served. */
    public boolean mayServe() {
        return switch (this) {
            case READY, RETURNS, NOT_READY, UNKNOWN -> true;
            case CLOSED, SILENT, AWAY -> false;
        };
    }
}
