package dev.ouroboros.model.problem;

/** Who can do something about a problem; decides the exit code of the command line. */
public enum Kind {
    /** The input is wrong: a flag, a file, a field. Exit code 2. */
    USER,
    /** This machine is not as it must be: a missing tool, a full disk, a port in use. Exit code 1. */
    ENVIRONMENT,
    /** Another program answered badly or not at all: API server, etcd, kubelet, containerd. Exit code 1. */
    REMOTE,
    /** A defect in Ouroboros itself. Exit code 1. */
    INTERNAL
}
