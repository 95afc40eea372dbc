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

    /** Whether etcd may be stopped, or have other data than before or after: there is no way but on. */
    public boolean isInBetween() {
        return switch (this) {
            case PREPARING, DONE, FAILED -> false;
            case STOPPING, SWAPPING, STARTING, REFRESHING, ROLLING_BACK -> true;
        };
    }

    public boolean isFinal() {
        return this == DONE || this == FAILED;
    }
}
