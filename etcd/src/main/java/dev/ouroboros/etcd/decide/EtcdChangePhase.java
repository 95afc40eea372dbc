package dev.ouroboros.etcd.decide;

/** Where a change of an etcd of one member stands. */
public enum EtcdChangePhase {
    GROWING("two temporary members join"),
    CROSSING("API servers turn to the second door"),
    SWITCHING("the member is started as the new manifest says"),
    ROLLING_BACK("the member is started as before"),
    RETURNING("API servers turn to the first door again"),
    SHRINKING("the temporary members leave"),
    DONE("etcd is changed"),
    FAILED("etcd is as before");

    private final String description;

    EtcdChangePhase(String description) {
        this.description = description;
    }

    /** For people. */
    public String description() {
        return description;
    }

    public boolean isFinal() {
        return this == DONE || this == FAILED;
    }
}
