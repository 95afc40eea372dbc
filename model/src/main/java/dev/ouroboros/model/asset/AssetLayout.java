package dev.ouroboros.model.asset;

import dev.ouroboros.model.component.Component;

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
    /** Ours, as JSON: the keeper reads no other YAML. */
    public static final String KEEPER_KUBECONFIG = AUTH + "/kubeconfig-keeper";

    public static final String NODE_AGENT_KUBECONFIG = AUTH + "/kubeconfig-node-agent";
    /** Ours: the EncryptionConfiguration of encryption at rest. It must be kept outside the cluster. */
    public static final String ENCRYPTION_CONFIG = TLS + "/encryption-config.yaml";

    public static final String CA_CERTIFICATE = TLS + "/ca.crt";
    public static final String CA_KEY = TLS + "/ca.key";

    public static final String API_SERVER_CERTIFICATE = TLS + "/apiserver.crt";
    public static final String API_SERVER_KEY = TLS + "/apiserver.key";
    public static final String KUBELET_CLIENT_CERTIFICATE = TLS + "/apiserver-kubelet-client.crt";
    public static final String KUBELET_CLIENT_KEY = TLS + "/apiserver-kubelet-client.key";
    public static final String FRONT_PROXY_CA_CERTIFICATE = TLS + "/front-proxy-ca.crt";
    /** Ours: bootkube throws this key away and cannot issue the client certificate again. */
    public static final String FRONT_PROXY_CA_KEY = TLS + "/front-proxy-ca.key";

    public static final String FRONT_PROXY_CLIENT_CERTIFICATE = TLS + "/front-proxy-client.crt";
    public static final String FRONT_PROXY_CLIENT_KEY = TLS + "/front-proxy-client.key";
    public static final String SERVICE_ACCOUNT_KEY = TLS + "/service-account.key";
    public static final String SERVICE_ACCOUNT_PUBLIC_KEY = TLS + "/service-account.pub";
    public static final String ADMIN_CERTIFICATE = TLS + "/admin.crt";
    public static final String ADMIN_KEY = TLS + "/admin.key";
    /** Ours, as the kubeconfigs that hold them: client certificates of the control plane. */
    public static final String CONTROLLER_MANAGER_CERTIFICATE = TLS + "/kube-controller-manager.crt";

    public static final String CONTROLLER_MANAGER_KEY = TLS + "/kube-controller-manager.key";
    public static final String SCHEDULER_CERTIFICATE = TLS + "/kube-scheduler.crt";
    public static final String SCHEDULER_KEY = TLS + "/kube-scheduler.key";
    public static final String PROXY_CERTIFICATE = TLS + "/kube-proxy.crt";
    public static final String PROXY_KEY = TLS + "/kube-proxy.key";
    public static final String KEEPER_CERTIFICATE = TLS + "/keeper.crt";
    public static final String KEEPER_KEY = TLS + "/keeper.key";
    public static final String NODE_AGENT_CERTIFICATE = TLS + "/node-agent.crt";
    public static final String NODE_AGENT_KEY = TLS + "/node-agent.key";
    /** Ours: who may ask without credentials, in versions that can say so. */
    public static final String AUTHENTICATION_CONFIG = TLS + "/authentication-config.yaml";

    public static final String ETCD_CA_CERTIFICATE = TLS + "/etcd-client-ca.crt";
    /** Ours: present when the etcd CA is ours. */
    public static final String ETCD_CA_KEY = TLS + "/etcd-client-ca.key";

    public static final String ETCD_CLIENT_CERTIFICATE = TLS + "/etcd-client.crt";
    public static final String ETCD_CLIENT_KEY = TLS + "/etcd-client.key";
    /** Present when the etcd CA is ours: what an etcd member needs. */
    public static final String ETCD_SERVER_CERTIFICATE = TLS + "/etcd/server.crt";

    public static final String ETCD_SERVER_CA_CERTIFICATE = TLS + "/etcd/server-ca.crt";
    public static final String ETCD_PEER_CA_CERTIFICATE = TLS + "/etcd/peer-ca.crt";
    public static final String ETCD_SERVER_KEY = TLS + "/etcd/server.key";
    public static final String ETCD_PEER_CERTIFICATE = TLS + "/etcd/peer.crt";
    public static final String ETCD_PEER_KEY = TLS + "/etcd/peer.key";

    /** Ours: what the volumes of a recovered control plane held, by component and volume, in a directory each. */
    public static final String RECOVERED = TLS + "/recovered";
    /** Ours: says where a recovered directory comes from. The last file that is written: where it is, everything is. */
    public static final String RECOVERY = ".ouroboros/recovery.json";

    public static final String API_SERVER = MANIFESTS + "/kube-apiserver.yaml";
    public static final String API_SERVER_SECRET = MANIFESTS + "/kube-apiserver-secret.yaml";
    /** bootkube has none for the API server: it keeps the eviction API from taking the last one. */
    public static final String API_SERVER_DISRUPTION = MANIFESTS + "/kube-apiserver-disruption.yaml";

    public static final String API_SERVER_KUBELET_BINDING = MANIFESTS + "/kube-apiserver-kubelet-role-binding.yaml";
    public static final String CONTROLLER_MANAGER = MANIFESTS + "/kube-controller-manager.yaml";
    public static final String CONTROLLER_MANAGER_SECRET = MANIFESTS + "/kube-controller-manager-secret.yaml";
    public static final String CONTROLLER_MANAGER_DISRUPTION = MANIFESTS + "/kube-controller-manager-disruption.yaml";
    public static final String SCHEDULER = MANIFESTS + "/kube-scheduler.yaml";
    public static final String SCHEDULER_SECRET = MANIFESTS + "/kube-scheduler-secret.yaml";
    public static final String SCHEDULER_DISRUPTION = MANIFESTS + "/kube-scheduler-disruption.yaml";
    public static final String PROXY = MANIFESTS + "/kube-proxy.yaml";
    public static final String PROXY_SECRET = MANIFESTS + "/kube-proxy-secret.yaml";
    /** Ours: the keeper, in bootkube the pod-checkpointer. */
    public static final String KEEPER = MANIFESTS + "/keeper.yaml";

    public static final String KEEPER_SECRET = MANIFESTS + "/keeper-secret.yaml";
    public static final String KEEPER_CLUSTER_ROLE = MANIFESTS + "/keeper-cluster-role.yaml";
    public static final String KEEPER_CLUSTER_BINDING = MANIFESTS + "/keeper-cluster-role-binding.yaml";
    public static final String KEEPER_NAMESPACE_ROLE = MANIFESTS + "/keeper-namespace-role.yaml";
    public static final String KEEPER_NAMESPACE_BINDING = MANIFESTS + "/keeper-namespace-role-binding.yaml";
    public static final String KEEPER_LEASE_ROLE = MANIFESTS + "/keeper-lease-role.yaml";
    public static final String KEEPER_LEASE_BINDING = MANIFESTS + "/keeper-lease-role-binding.yaml";
    public static final String KEEPER_SERVICE_ROLE = MANIFESTS + "/keeper-service-role.yaml";
    public static final String KEEPER_SERVICE_BINDING = MANIFESTS + "/keeper-service-role-binding.yaml";
    /** Ours: the agent of every node that is none of the control plane's. */
    public static final String NODE_AGENT = MANIFESTS + "/node-agent.yaml";

    public static final String NODE_AGENT_SECRET = MANIFESTS + "/node-agent-secret.yaml";
    public static final String NODE_AGENT_CLUSTER_ROLE = MANIFESTS + "/node-agent-cluster-role.yaml";
    public static final String NODE_AGENT_CLUSTER_BINDING = MANIFESTS + "/node-agent-cluster-role-binding.yaml";
    public static final String NODE_AGENT_SYSTEM_ROLE = MANIFESTS + "/node-agent-system-role.yaml";
    public static final String NODE_AGENT_SYSTEM_BINDING = MANIFESTS + "/node-agent-system-role-binding.yaml";
    public static final String NODE_AGENT_SERVICE_ROLE = MANIFESTS + "/node-agent-service-role.yaml";
    public static final String NODE_AGENT_SERVICE_BINDING = MANIFESTS + "/node-agent-service-role-binding.yaml";
    /** The cluster's DNS, whoever serves it. */
    public static final String DNS = MANIFESTS + "/dns.yaml";

    public static final String DNS_ACCOUNT = MANIFESTS + "/dns-service-account.yaml";
    public static final String DNS_ROLE = MANIFESTS + "/dns-cluster-role.yaml";
    public static final String DNS_BINDING = MANIFESTS + "/dns-cluster-role-binding.yaml";
    public static final String DNS_SERVICE = MANIFESTS + "/dns-service.yaml";
    public static final String DNS_CONFIG = MANIFESTS + "/dns-config.yaml";
    /** Ours: the steward, its rights, and the object that says what it is to do. */
    public static final String STEWARD = MANIFESTS + "/steward.yaml";

    public static final String STEWARD_SECRET = MANIFESTS + "/steward-secret.yaml";
    public static final String STEWARD_ACCOUNT = MANIFESTS + "/steward-service-account.yaml";
    public static final String STEWARD_CLUSTER_ROLE = MANIFESTS + "/steward-cluster-role.yaml";
    public static final String STEWARD_CLUSTER_BINDING = MANIFESTS + "/steward-cluster-role-binding.yaml";
    public static final String STEWARD_SYSTEM_ROLE = MANIFESTS + "/steward-system-role.yaml";
    public static final String STEWARD_SYSTEM_BINDING = MANIFESTS + "/steward-system-role-binding.yaml";
    public static final String CONTROL_PLANE_DEFINITION = MANIFESTS + "/control-plane-definition.yaml";
    public static final String CONTROL_PLANE_OBJECT = MANIFESTS + "/control-plane.yaml";
    public static final String BOOTSTRAP_TOKEN = MANIFESTS + "/kubelet-bootstrap-token.yaml";
    public static final String BOOTSTRAP_BINDING = MANIFESTS + "/csr-bootstrap-role-binding.yaml";
    public static final String APPROVER_BINDING = MANIFESTS + "/csr-approver-role-binding.yaml";
    public static final String RENEWAL_BINDING = MANIFESTS + "/csr-renewal-role-binding.yaml";
    /** Ours: what a machine learns that joins with a token, and the right to read it. */
    public static final String JOINING_CONFIG = MANIFESTS + "/joining-config.yaml";

    public static final String JOINING_ROLE = MANIFESTS + "/joining-role.yaml";
    public static final String JOINING_BINDING = MANIFESTS + "/joining-role-binding.yaml";
    public static final String JOINING_CLUSTER_ROLE = MANIFESTS + "/joining-cluster-role.yaml";
    public static final String JOINING_CLUSTER_BINDING = MANIFESTS + "/joining-cluster-role-binding.yaml";
    /** Add-ons follow this prefix, which sorts behind every name of ours. */
    public static final String ADD_ON_PREFIX = MANIFESTS + "/z-addon-";

    /** Ours: what render wrote, so that it can tell an edited file from its own. */
    public static final String LEDGER = ".ouroboros/rendered.json";

    /** Where bootstrap manifests expect the files of {@link #TLS} and the kubeconfigs on the node, as in bootkube. */
    public static final String BOOTSTRAP_SECRETS_DIRECTORY = "/etc/kubernetes/bootstrap-secrets";

    private AssetLayout() {}

    /** The temporary static pod of one {@link Component#WITH_UNDERSTUDY}, as bootkube names it: bootstrap-manifests/bootstrap-apiserver.yaml. */
    public static String bootstrapManifest(Component component) {
        return BOOTSTRAP_MANIFESTS + "/bootstrap-" + component.id().replaceFirst("^kube-", "") + ".yaml";
    }

    /** The name of a file without its directory: in Secrets and on nodes the directories are flat. */
    public static String baseName(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }
}
