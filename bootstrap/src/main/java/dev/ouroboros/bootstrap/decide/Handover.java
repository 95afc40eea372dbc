package dev.ouroboros.bootstrap.decide;

/** How the self-hosted API server gets the traffic of the temporary one. */
public enum Handover {
    /** Both run side by side, and the front sends new connections to the other: no request fails. */
    FRONT,
    /**
     * Both want the same port. The temporary API server goes away when the self-hosted one has been started, and no API answers
     * until the latter has taken the port: bootkube's way, for clients that dial loopback, which the front never maps.
     */
    OUTAGE
}
