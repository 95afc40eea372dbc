package dev.ouroboros.host.decide;

import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.host.decide.HostSettings.Role;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.kubelet.KubeletLayout;
import dev.ouroboros.model.kubelet.KubeletScripts;
import dev.ouroboros.model.registry.RegistryAccess;
import dev.ouroboros.render.manifest.CniSettings;
import dev.ouroboros.render.manifest.ContainerdSettings;
import dev.ouroboros.render.manifest.EtcdStaticPod;
import dev.ouroboros.render.manifest.KubeletSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The files that make a host with systemd into a node; what a sandbox's node has, in the places that services read. */
public final class HostFiles {
    /** Not {@code /etc/containerd/config.toml}: a configuration that somebody made there stays as it is. */
    public static final String CONTAINERD_CONFIG = "/etc/ouroboros/containerd.toml";

    public static final String CONTAINERD_UNIT = "/etc/systemd/system/containerd.service.d/10-ouroboros.conf";
    /** A drop-in that gives the proxy to containerd alone. */
    public static final String CONTAINERD_PROXY = "/etc/systemd/system/containerd.service.d/20-ouroboros-proxy.conf";

    public static final String KUBELET_UNIT = "/etc/systemd/system/kubelet.service";
    public static final String SYSCTLS = "/etc/sysctl.d/90-ouroboros.conf";
    public static final String MODULES = "/etc/modules-load.d/ouroboros.conf";
    public static final String CLEARING = "/etc/tmpfiles.d/ouroboros.conf";
    public static final String CRICTL = "/etc/crictl.yaml";
    public static final String PROGRAMS = "/usr/local/bin";
    public static final String MANIFESTS = "/etc/kubernetes/manifests";
    public static final String KUBELET_ROOT = "/var/lib/kubelet";
    /** Where the kubelet's configuration was before there were generations. */
    public static final String FORMER_KUBELET_CONFIG = KUBELET_ROOT + "/config.yaml";
    /** Files of the generation with which the host was made. */
    public static final String KUBELET_BASE = KubeletLayout.path(KubeletLayout.GENERATIONS, KubeletLayout.BASE);

    public static final String GUARD_UNIT = "/etc/systemd/system/ouroboros-kubelet-guard.service";
    public static final String GUARD_PATH_UNIT = "/etc/systemd/system/ouroboros-kubelet-guard.path";
    public static final String ETCD_MANIFEST = MANIFESTS + "/etcd.yaml";

    /** Modules of the kernel that a node needs. */
    public static final List<String> KERNEL_MODULES = List.of("overlay", "br_netfilter");

    /** Kernel variables that we set, by their names below {@code /proc/sys}. */
    public static final Map<String, String> SYSCTL_VALUES = new TreeMap<>(Map.of(
            "net/bridge/bridge-nf-call-ip6tables", "1",
            "net/bridge/bridge-nf-call-iptables", "1",
            "net/ipv4/ip_forward", "1"));

    /** Kernel variables that a kubelet sets when it starts: setupKernelTunables of pkg/kubelet/cm/container_manager_linux.go, 1.20 to 1.36. */
    public static final Map<String, String> KUBELET_SYSCTL_VALUES = new TreeMap<>(Map.of(
            "kernel/keys/root_maxbytes", "25000000",
            "kernel/keys/root_maxkeys", "1000000",
            "kernel/panic", "10",
            "kernel/panic_on_oops", "1",
            "vm/overcommit_memory", "1",
            "vm/panic_on_oom", "0"));

    private static final String HEAD = "# Written by 'ouro host'; 'ouro host reset' removes it.\n";
    /** The files of an asset directory that a control-plane node is made of, beside those of its etcd. */
    private static final List<String> KUBELET_ASSETS = List.of(
            AssetLayout.CA_CERTIFICATE,
            AssetLayout.KUBELET_KUBECONFIG,
            AssetLayout.API_SERVER,
            AssetLayout.CONTROLLER_MANAGER);

    private static final List<String> ETCD_ASSETS = List.of(
            AssetLayout.ETCD_SERVER_CERTIFICATE,
            AssetLayout.ETCD_SERVER_KEY,
            AssetLayout.ETCD_SERVER_CA_CERTIFICATE,
            AssetLayout.ETCD_PEER_CERTIFICATE,
            AssetLayout.ETCD_PEER_KEY,
            AssetLayout.ETCD_PEER_CA_CERTIFICATE);

    private HostFiles() {}

    /** The files of an asset directory that a control-plane node is made of. */
    public static List<String> neededAssets() {
        List<String> needed = new ArrayList<>(KUBELET_ASSETS);
        needed.addAll(ETCD_ASSETS);
        return List.copyOf(needed);
    }

    /** The files of a host in the order in which they are to be written: a static pod comes after the files that it reads. */
    public static List<HostFile> of(HostSettings settings) {
        List<HostFile> files = new ArrayList<>();
        new TreeMap<>(settings.programs())
                .forEach((name, source) -> files.add(new HostFile(
                        PROGRAMS + "/" + name, HostFile.PROGRAM, new HostFile.Content.Copy(source), "program")));
        files.add(HostFile.readable(
                MODULES, "kernel modules that are loaded at boot", HEAD + String.join("\n", KERNEL_MODULES) + "\n"));
        files.add(HostFile.readable(SYSCTLS, "pods' packets are forwarded, and filtered on the bridge", sysctls()));
        // libcni does not sync what it remembers of pods' networks, and a torn record keeps its pod from ever starting.
        files.add(HostFile.readable(
                CLEARING, "what CNI remembers is cleared at boot", HEAD + "R! /var/lib/cni - - - - -\n"));
        files.add(HostFile.readable(
                CRICTL,
                "crictl finds containerd",
                HEAD + "runtime-endpoint: unix://" + ContainerdSettings.SOCKET + "\nimage-endpoint: unix://"
                        + ContainerdSettings.SOCKET + "\n"));
        files.add(HostFile.readable(
                CONTAINERD_CONFIG,
                "containerd's configuration",
                HEAD
                        + new ContainerdSettings(
                                        settings.pauseImage(),
                                        settings.cgroupDriver() == CgroupDriver.SYSTEMD,
                                        settings.mayLowerOomScore(),
                                        settings.podNetwork())
                                .configuration()));
        files.add(HostFile.readable(CONTAINERD_UNIT, "containerd reads that file", containerdUnit()));
        new TreeMap<>(settings.registryFiles())
                .forEach((path, text) -> files.add(HostFile.readable(path, "how containerd pulls images", text)));
        if (settings.podNetwork()) {
            files.add(HostFile.readable(
                    CniSettings.TEMPLATE, "the pods' network, for the addresses of this node", CniSettings.template()));
        }
        addKubelet(files, settings);
        if (settings.role() == Role.CONTROL_PLANE) {
            addEtcd(files, settings);
        }
        return List.copyOf(files);
    }

    private static void addKubelet(List<HostFile> files, HostSettings settings) {
        KubeletSettings kubelet = kubelet(settings);
        VersionFacts facts = VersionFacts.of(settings.version());
        files.add(HostFile.readable(
                kubelet.clientCaFile(), "who may use the kubelet's API", settings.asset(AssetLayout.CA_CERTIFICATE)));
        files.add(HostFile.secret(
                kubelet.bootstrapKubeconfig(),
                "the token to join with",
                settings.asset(AssetLayout.KUBELET_KUBECONFIG)));
        new TreeMap<>(kubelet.generation(facts, PROGRAMS + "/kubelet").files(KUBELET_BASE))
                .forEach((name, text) -> files.add(
                        HostFile.readable(KUBELET_BASE + "/" + name, "how the kubelet was made, layer 0", text)));
        KubeletScripts.all()
                .forEach((name, text) -> files.add(HostFile.readable(
                        KubeletLayout.path(name), "starts the kubelet, or takes a bad one back", text)));
        files.add(HostFile.readable(GUARD_UNIT, "tries another kubelet", guardUnit()));
        files.add(HostFile.readable(GUARD_PATH_UNIT, "when one is to be tried", guardPathUnit()));
        files.add(HostFile.readable(KUBELET_UNIT, "the kubelet's service", kubeletUnit()));
    }

    /** Whether a file belongs to a member of etcd. */
    public static boolean isOfEtcd(String path) {
        return path.equals(ETCD_MANIFEST) || path.startsWith(EtcdStaticPod.DEFAULT_TLS_DIRECTORY + "/");
    }

    private static void addEtcd(List<HostFile> files, HostSettings settings) {
        for (String asset : ETCD_ASSETS) {
            files.add(HostFile.secret(
                    EtcdStaticPod.DEFAULT_TLS_DIRECTORY + "/" + AssetLayout.baseName(asset),
                    "etcd's certificates and keys",
                    settings.asset(asset)));
        }
        files.add(HostFile.secret(
                ETCD_MANIFEST,
                "etcd, a static pod",
                EtcdStaticPod.of(
                                settings.nodeName(),
                                settings.etcdImage(),
                                settings.nodeAddress().getHostAddress())
                        .yaml()));
    }

    private static KubeletSettings kubelet(HostSettings settings) {
        return new KubeletSettings(
                settings.nodeName(),
                settings.nodeAddress().getHostAddress(),
                settings.clusterDns().getHostAddress(),
                settings.clusterDomain(),
                "/etc/kubernetes/ca.crt",
                MANIFESTS,
                "unix://" + ContainerdSettings.SOCKET,
                settings.cgroupDriver().value(),
                Optional.empty(),
                KUBELET_ROOT,
                "/etc/kubernetes/kubeconfig-kubelet",
                KUBELET_ROOT + "/kubeconfig",
                settings.pauseImage(),
                settings.resolvConf(),
                new TreeMap<>(),
                kubeletFields(settings.pool()),
                kubeletArguments(settings.pool()));
    }

    private static Map<String, Object> kubeletFields(NodePool pool) {
        // An image of ours comes from no registry: one that the kubelet's garbage collection removed could not be
        // pulled again. The default directory
        // of volume plugins is below /usr, which may be read-only.
        Map<String, Object> fields = new TreeMap<>(
                Map.of("imageGCHighThresholdPercent", 100, "volumePluginDir", KUBELET_ROOT + "/volume-plugins"));
        fields.putAll(pool.kubelet());
        return fields;
    }

    private static SortedMap<String, String> kubeletArguments(NodePool pool) {
        SortedMap<String, String> arguments = new TreeMap<>();
        if (!pool.labels().isEmpty()) {
            arguments.put(
                    "node-labels",
                    pool.labels().entrySet().stream()
                            .map(label -> label.getKey() + "=" + label.getValue())
                            .collect(Collectors.joining(",")));
        }
        if (!pool.taints().isEmpty()) {
            arguments.put("register-with-taints", String.join(",", pool.taints()));
        }
        return arguments;
    }

    /** Whether a file of ours says how containerd pulls images. */
    public static boolean isOfRegistries(String path) {
        return path.startsWith(RegistryAccess.DIRECTORY + "/") || path.equals(CONTAINERD_PROXY);
    }

    /** The files that say how containerd pulls images, by path. */
    public static Map<String, String> registryFiles(RegistryAccess access) {
        Map<String, String> files = new TreeMap<>(access.files());
        if (!access.proxy().isEmpty()) {
            StringBuilder unit = new StringBuilder(HEAD).append("[Service]\n");
            access.proxy()
                    .variables()
                    .forEach((name, value) -> unit.append("Environment=")
                            .append(SystemdWords.quoted(name + "=" + value))
                            .append('\n'));
            files.put(CONTAINERD_PROXY, unit.toString());
        }
        return files;
    }

    private static String sysctls() {
        StringBuilder text = new StringBuilder(HEAD);
        SYSCTL_VALUES.forEach((name, value) ->
                text.append(name.replace('/', '.')).append(" = ").append(value).append('\n'));
        return text.toString();
    }

    private static String containerdUnit() {
        return HEAD + """
                [Service]
                ExecStart=
                ExecStart=/usr/bin/containerd --config %s
                """.formatted(CONTAINERD_CONFIG);
    }

    /**
     * The kubelet is started again whatever it ended of, without a limit: a node whose kubelet systemd gave up on does not come back
     * by itself. Pods go on without it, so it alone is killed.
     */
    private static String kubeletUnit() {
        return HEAD + """
                [Unit]
                Description=The kubelet, Kubernetes' agent on this node
                After=containerd.service network-online.target
                Wants=containerd.service network-online.target
                StartLimitIntervalSec=0

                [Service]
                ExecStart=/bin/bash %s
                Restart=always
                RestartSec=1s
                KillMode=process
                CPUAccounting=yes
                MemoryAccounting=yes

                [Install]
                WantedBy=multi-user.target
                """.formatted(KubeletLayout.path(KubeletLayout.START));
    }

    private static String guardUnit() {
        return HEAD + """
                [Unit]
                Description=Tries another generation of the kubelet, and goes back when it does not run
                StartLimitIntervalSec=0

                [Service]
                Type=oneshot
                ExecStart=/bin/bash %s systemctl restart kubelet.service
                """.formatted(KubeletLayout.path(KubeletLayout.GUARD));
    }

    private static String guardPathUnit() {
        return HEAD + """
                [Unit]
                Description=Another generation of the kubelet is to be tried

                [Path]
                PathExists=%s

                [Install]
                WantedBy=multi-user.target
                """.formatted(KubeletLayout.path(KubeletLayout.TRIAL));
    }
}
