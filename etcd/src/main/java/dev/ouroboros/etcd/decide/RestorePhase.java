package dev.ouroboros.etcd.decide;

/** Where a restore stands. */
public enum RestorePhase {
    PREPARING("restoring the snapshot beside etcd's data"),
    STOPPING("stopping etcd"),
    SWAPPING("setting etcd's former data aside"),
    STARTING("starting etcd with the restored data"),
    REFRESHING("restarting what watched the former etcd"),
    ROLLING_BACK("putting the former data back"),
    DONE("etcd serves what the snapshot holds"),
    FAILED("etcd has its former data");

    private final String description;

    RestorePhase(String description) {
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
