package dev.ouroboros.model.component;

import dev.ouroboros.model.json.Json;

/** What the steward goes by in the API: the object that says what is wished, and who signs for members of etcd. */
public final class StewardObjects {
    public static final String GROUP = "ouroboros.dev";

    /** Group and version of the object, as its CustomResourceDefinition has them. */
    public static final String API_VERSION = GROUP + "/v1alpha1";

    public static final String KIND = "ControlPlane";
    public static final String RESOURCE = "controlplanes";
    /** Name of its CustomResourceDefinition. */
    public static final String DEFINITION = RESOURCE + "." + GROUP;

    /** Name of the only one: the definition refuses another. */
    public static final String NAME = "cluster";

    /** Signer of the certificates with which nodes get members of etcd, as CertificateSigningRequests name it. */
    public static final String ETCD_MEMBER_SIGNER = GROUP + "/etcd-member";

    /** A flag of the steward: whether members of etcd are as the object wishes. */
    public static final String MANAGES_ETCD = "manages-etcd";

    private StewardObjects() {}

    /** @param podSpec of a steward */
    public static boolean managesEtcd(Json podSpec) {
        Json leavesIt = Json.text("--" + MANAGES_ETCD + "=false");
        return podSpec.at("containers").items().stream()
                .flatMap(container -> container.at("args").items().stream())
                .noneMatch(leavesIt::equals);
    }
}
