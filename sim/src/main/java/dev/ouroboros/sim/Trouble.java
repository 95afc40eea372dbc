package dev.ouroboros.sim;

/**
 * How the API fails the keeper now.
 *
 * @param odds how often, of 100, a request meets it
 */
record Trouble(Kind kind, int odds) {
    static final Trouble NONE = new Trouble(Kind.NONE, 0);

    enum Kind {
        NONE,
        CUT_OFF,
        SLOW,
        /** Requests are carried out, and answers do not arrive. */
        ANSWER_LOST,
        THROTTLED,
        ERRORS,
        FORBIDDEN,
        GARBAGE,
        /** The address leads to another cluster's API server. */
        OTHER_CLUSTER
    }
}
