package dev.ouroboros.model.front;

/** One of the two servers behind the front. */
public enum Server {
    /** The API-managed pod, on the front port itself. */
    PRINCIPAL,
    /** The static pod beside it, on a port of its own. */
    UNDERSTUDY;

    /** The one beside it. */
    public Server other() {
        return this == PRINCIPAL ? UNDERSTUDY : PRINCIPAL;
    }
}
