package dev.ouroboros.model.component;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * What a cluster consists of, each with a version of its own: the one place that says what each is called, and where it listens. Sets of
 * components are made from here; {@code ComponentLiteralsTest} finds a place that says it again.
 */
public enum Component {
    API_SERVER("kube-apiserver", Role.API_SERVER, 6443, 26443),
    CONTROLLER_MANAGER("kube-controller-manager", Role.CONTROLLER_MANAGER, 10257, 26257),
    SCHEDULER("kube-scheduler", Role.SCHEDULER, 10259, 26259),
    PROXY("kube-proxy", Role.OTHER, 10256),
    KUBELET("kubelet", Role.OTHER, 10250),
    ETCD("etcd", Role.OTHER, 2379),
    KEEPER("ouroboros-keeper", Role.KEEPER, 26445),
    NODE_AGENT("ouroboros-node-agent", Role.OTHER, 26446),
    DNS("ouroboros-dns", Role.OTHER, 53),
    STEWARD("ouroboros-steward", Role.OTHER, 26447);

    /** What is released as Kubernetes, with its version. */
    public static final List<Component> KUBERNETES = List.of(API_SERVER, CONTROLLER_MANAGER, SCHEDULER, PROXY, KUBELET);

    /** What the keeper, and {@code start} before it, can run a second time on a node. */
    public static final List<Component> WITH_UNDERSTUDY = List.of(API_SERVER, CONTROLLER_MANAGER, SCHEDULER);

    /** What a snapshot tells of a control plane, self-hosted or not; whoever hosts one brings a keeper and DNS of their own. */
    public static final List<Component> CONTROL_PLANE = List.of(API_SERVER, CONTROLLER_MANAGER, SCHEDULER, PROXY, ETCD);

    /** Where members of etcd reach each other. */
    public static final int ETCD_PEER_PORT = 2380;

    private static final int NONE = -1;

    private final String id;
    private final Role role;
    private final int port;
    private final int understudyPort;

    Component(String id, Role role, int port) {
        this(id, role, port, NONE);
    }

    Component(String id, Role role, int port, int understudyPort) {
        this.id = id;
        this.role = role;
        this.port = port;
        this.understudyPort = understudyPort;
    }

    /** As in kube-apiserver: name of the program, its main container and its workload, and of the Lease of one that leads. */
    public String id() {
        return id;
    }

    /** Whether it is one of {@link #KUBERNETES}. */
    public boolean isKubernetes() {
        return KUBERNETES.contains(this);
    }

    /** What it is to the keeper. */
    public Role role() {
        return role;
    }

    /** Where it is asked: the secure port of what serves the API or leads, the health port of kube-proxy and keeper, etcd's client port. */
    public int port() {
        return port;
    }

    /**
     * The secure port of its second copy on a node.
     *
     * @throws IllegalStateException when it is not one {@link #WITH_UNDERSTUDY}
     */
    public int understudyPort() {
        if (understudyPort == NONE) {
            throw new IllegalStateException(id + " never has an understudy");
        }
        return understudyPort;
    }

    /** Name of the static pod that {@code start} runs of it until the cluster's own one serves. */
    public String temporaryPod() {
        return "bootstrap-" + id;
    }

    /** Name of its image, without registry and tag. */
    public String image() {
        return switch (this) {
            case KEEPER, NODE_AGENT -> "keeper";
            case DNS -> "dns";
            case STEWARD -> "steward";
            case API_SERVER, CONTROLLER_MANAGER, SCHEDULER, PROXY, KUBELET, ETCD -> id;
        };
    }

    /** The field of a Cluster document that has its flags, of what is {@link #KUBERNETES}: kubeApiserver. */
    public String field() {
        StringBuilder field = new StringBuilder();
        for (String word : id.split("-", -1)) {
            field.append(field.isEmpty() ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
        }
        return field.toString();
    }

    public static Optional<Component> ofId(String id) {
        return Arrays.stream(values())
                .filter(component -> component.id.equals(id))
                .findFirst();
    }

    /** That of {@link #KUBERNETES} which a field of a Cluster document is for. */
    public static Optional<Component> ofField(String field) {
        return KUBERNETES.stream()
                .filter(component -> component.field().equals(field))
                .findFirst();
    }

    /** What hyperkube, one program for all of Kubernetes, is told to be: {@code apiserver}, or {@code kube-apiserver} in later ones. */
    static Optional<Component> ofHyperkubeWord(String word) {
        return KUBERNETES.stream()
                .filter(component -> component.id.equals(word) || component.id.equals("kube-" + word))
                .findFirst();
    }

    /** That of {@link #WITH_UNDERSTUDY} which has a role. */
    public static Optional<Component> of(Role role) {
        return WITH_UNDERSTUDY.stream()
                .filter(component -> component.role == role)
                .findFirst();
    }
}
