package dev.ouroboros.status.model;

/** What there is to host, from the machine up. Each needs those below it. */
public enum Layer {
    KUBELET(0),
    ETCD(1),
    API_SERVER(2),
    /** Controller manager, scheduler and kube-proxy. */
    CONTROLLERS(3),
    ADD_ONS(4);

    private final int number;

    Layer(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }
}
