package dev.ouroboros.render.config;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The fields of a {@code Cluster} document, with the flag that sets the same where there is one. */
public enum Field {
    API_VERSION("apiVersion", Shape.TEXT),
    KIND("kind", Shape.TEXT),
    NAME("metadata.name", Shape.TEXT),
    KUBERNETES_VERSION("spec.kubernetesVersion", Shape.TEXT),
    EMULATED_VERSION("spec.emulatedVersion", Shape.TEXT),
    LAYERS("spec.layers", Shape.TEXT),
    API_SERVER_ENDPOINTS("spec.apiServer.endpoints", Shape.LIST),
    API_SERVER_ALT_NAMES("spec.apiServer.altNames", Shape.LIST),
    POD_CIDR("spec.network.podCIDR", Shape.TEXT),
    SERVICE_CIDR("spec.network.serviceCIDR", Shape.TEXT),
    ETCD_SERVERS("spec.etcd.servers", Shape.LIST),
    ETCD_CA_FILE("spec.etcd.tls.caFile", Shape.TEXT),
    ETCD_CERTIFICATE_FILE("spec.etcd.tls.certificateFile", Shape.TEXT),
    ETCD_PRIVATE_KEY_FILE("spec.etcd.tls.privateKeyFile", Shape.TEXT),
    IMAGE_API_SERVER("spec.images.kubeApiserver", Shape.TEXT),
    IMAGE_CONTROLLER_MANAGER("spec.images.kubeControllerManager", Shape.TEXT),
    IMAGE_SCHEDULER("spec.images.kubeScheduler", Shape.TEXT),
    IMAGE_PROXY("spec.images.kubeProxy", Shape.TEXT),
    IMAGE_KEEPER("spec.images.keeper", Shape.TEXT),
    IMAGE_DNS("spec.images.dns", Shape.TEXT),
    IMAGE_STEWARD("spec.images.steward", Shape.TEXT),
    EXTRA_ARGS_API_SERVER("spec.extraArgs.kubeApiserver", Shape.MAP),
    EXTRA_ARGS_CONTROLLER_MANAGER("spec.extraArgs.kubeControllerManager", Shape.MAP),
    EXTRA_ARGS_SCHEDULER("spec.extraArgs.kubeScheduler", Shape.MAP),
    EXTRA_ARGS_PROXY("spec.extraArgs.kubeProxy", Shape.MAP),
    ALLOW_UNKNOWN_FLAGS("spec.allowUnknownFlags", Shape.BOOLEAN),
    ENCRYPTION_ENABLED("spec.encryption.enabled", Shape.BOOLEAN),
    ENCRYPTION_PROVIDER("spec.encryption.provider", Shape.TEXT),
    PKI_ALGORITHM("spec.pki.algorithm", Shape.TEXT),
    CA_CERTIFICATE_FILE("spec.pki.caCertificateFile", Shape.TEXT),
    CA_PRIVATE_KEY_FILE("spec.pki.caPrivateKeyFile", Shape.TEXT),
    PROXY_MODE("spec.kubeProxy.mode", Shape.TEXT),
    KEEPER_ENABLED("spec.keeper.enabled", Shape.BOOLEAN),
    KEEPER_RUNTIME_SOCKET("spec.keeper.runtimeSocket", Shape.TEXT),
    KEEPER_EXTRA_ARGS("spec.keeper.extraArgs", Shape.MAP),
    DNS_PROVIDER("spec.dns.provider", Shape.TEXT),
    CLOUD_PROVIDER("spec.cloudProvider", Shape.TEXT),
    ADD_ONS("spec.addOns", Shape.TEXT);

    /** What kind of value a field has. */
    public enum Shape {
        TEXT("a text"),
        BOOLEAN("true or false"),
        LIST("a list of texts"),
        MAP("a mapping of flags to values");

        private final String words;

        Shape(String words) {
            this.words = words;
        }

        /** For messages: what is allowed. */
        public String words() {
            return words;
        }
    }

    private final String path;
    private final Shape shape;

    Field(String path, Shape shape) {
        this.path = path;
        this.shape = shape;
    }

    /** As in {@code spec.network.podCIDR}. */
    public String path() {
        return path;
    }

    public Shape shape() {
        return shape;
    }

    static Optional<Field> ofPath(String path) {
        return Arrays.stream(values()).filter(field -> field.path.equals(path)).findFirst();
    }

    /** Whether some field is below this path. */
    static boolean isSection(String path) {
        return Arrays.stream(values()).anyMatch(field -> field.path.startsWith(path + "."));
    }

    /** Names that are allowed directly below a path; the empty path is the document. */
    static List<String> namesBelow(String path) {
        String prefix = path.isEmpty() ? "" : path + ".";
        return Arrays.stream(values())
                .map(Field::path)
                .filter(candidate -> candidate.startsWith(prefix))
                .map(candidate -> candidate.substring(prefix.length()))
                .map(rest -> rest.indexOf('.') < 0 ? rest : rest.substring(0, rest.indexOf('.')))
                .distinct()
                .toList();
    }
}
