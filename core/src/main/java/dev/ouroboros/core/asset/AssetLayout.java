package dev.ouroboros.core.asset;

/**
 * Names of files and directories in an asset directory, relative to it. The layout is bootkube's
 * (kubernetes-sigs/bootkube, cmd/render/plugin/default/asset/asset.go), so that its directories can be started by us; what
 * bootkube does not have is marked.
 */
public final class AssetLayout {
    public static final String AUTH = "auth";
    public static final String TLS = "tls";
    public static final String BOOTSTRAP_MANIFESTS = "bootstrap-manifests";
    public static final String MANIFESTS = "manifests";

    /** kubeconfig of the cluster's administrator. */
    public static final String ADMIN_KUBECONFIG = AUTH + "/kubeconfig";
    /** kubeconfig with the bootstrap token, with which a kubelet joins. */
    public static final String KUBELET_KUBECONFIG = AUTH + "/kubeconfig-kubelet";
    /** Ours: kubeconfigs with client certificates; bootkube uses ServiceAccount tokens. */
    public static final String CONTROLLER_MANAGER_KUBECONFIG = AUTH + "/kubeconfig-kube-controller-manager";

    public static final String SCHEDULER_KUBECONFIG = AUTH + "/kubeconfig-kube-scheduler";
    public static final String PROXY_KUBECONFIG = AUTH + "/kubeconfig-kube-proxy";
    /** Ours: the EncryptionConfiguration of encryption at rest. It must be kept outside the cluster. */
    public static final String ENCRYPTION_CONFIG = TLS + "/encryption-config.yaml";

    public static final String CA_CERTIFICATE = TLS + "/ca.crt";
    public static final String CA_KEY = TLS + "/ca.key";

    public static final String ETCD_CA_CERTIFICATE = TLS + "/etcd-client-ca.crt";
    public static final String ETCD_CLIENT_CERTIFICATE = TLS + "/etcd-client.crt";
    public static final String ETCD_CLIENT_KEY = TLS + "/etcd-client.key";
    /** Present when the etcd CA is ours: what an etcd member needs. */
    public static final String ETCD_SERVER_CERTIFICATE = TLS + "/etcd/server.crt";

    public static final String ETCD_SERVER_KEY = TLS + "/etcd/server.key";
    public static final String ETCD_PEER_CERTIFICATE = TLS + "/etcd/peer.crt";
    public static final String ETCD_PEER_KEY = TLS + "/etcd/peer.key";

    public static final String BOOTSTRAP_API_SERVER = BOOTSTRAP_MANIFESTS + "/bootstrap-apiserver.yaml";
    public static final String BOOTSTRAP_CONTROLLER_MANAGER =
            BOOTSTRAP_MANIFESTS + "/bootstrap-controller-manager.yaml";
    public static final String BOOTSTRAP_SCHEDULER = BOOTSTRAP_MANIFESTS + "/bootstrap-scheduler.yaml";

    /** Where bootstrap manifests expect the files of {@link #TLS} and the kubeconfigs on the node, as in bootkube. */
    public static final String BOOTSTRAP_SECRETS_DIRECTORY = "/etc/kubernetes/bootstrap-secrets";

    private AssetLayout() {}
}
