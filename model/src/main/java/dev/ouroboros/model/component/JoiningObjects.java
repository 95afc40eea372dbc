package dev.ouroboros.model.component;

/** Names of the objects from which a machine that joins learns what it is to be. */
public final class JoiningObjects {
    /** A ConfigMap of kube-system that a bootstrap token may read, and the roles for that. */
    public static final String NAME = "ouroboros-joining";

    public static final String ROLE = "ouroboros:joining";

    /** Whoever shows a bootstrap token (kubernetes.io/docs, bootstrap tokens). */
    public static final String BOOTSTRAPPERS = "system:bootstrappers";

    /** Key of what holds for every node of the cluster. */
    public static final String CLUSTER = "cluster";
    /** Before the name of a pool in its key. */
    public static final String POOL_PREFIX = "pool.";
    /** The pool of a machine that names none, and of what another pool does not say. */
    public static final String DEFAULT_POOL = "worker";

    private JoiningObjects() {}
}
