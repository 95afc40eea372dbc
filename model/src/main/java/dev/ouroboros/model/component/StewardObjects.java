package dev.ouroboros.model.component;

/** What the steward goes by in the API: the object that says what is wished, and who signs for members of etcd. */
public final class StewardObjects {
    public static final String GROUP = "ouroboros.dev";

    /** Group and version of the object, as its CustomResourceDefinition has them. */
    public static final String API_VERSION = GROUP + "/v1alpha1";

    public static final String KIND = "ControlPlane";
    public static final String RESOURCE = "controlplanes";

    /** Name of the only one: the definition refuses another. */
    public static final String NAME = "cluster";

    /** Signer of the certificates with which nodes get members of etcd, as CertificateSigningRequests name it. */
    public static final String ETCD_MEMBER_SIGNER = GROUP + "/etcd-member";

    private StewardObjects() {}
}
