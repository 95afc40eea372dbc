package dev.ouroboros.model.ailment;

import static dev.ouroboros.model.ailment.Ailment.Place.CLUSTER;
import static dev.ouroboros.model.ailment.Ailment.Place.MACHINE;
import static dev.ouroboros.model.ailment.Finding.Severity.PROBLEM;
import static dev.ouroboros.model.ailment.Finding.Severity.WARNING;

import dev.ouroboros.model.ailment.Finding.Severity;
import dev.ouroboros.model.component.Component;

/**
 * Everything that {@code ouro doctor} can find wrong: each finding that is wrong is one of these, and docs/doctor.md is made of them. What
 * was seen differs from case to case; what follows from it, and what to do, mostly does not.
 */
public enum Ailment {
    PORT_IS_TAKEN(
            MACHINE,
            PROBLEM,
            "port",
            "another program listens on a port of the control plane",
            "the component that is meant to have the port cannot listen there",
            "stop that program, or give it another port"),
    FRONT_CANNOT_BE_MADE(
            MACHINE,
            PROBLEM,
            "nftables",
            "the front's table cannot be made in a network namespace of its own, or reads back otherwise",
            "the front port cannot be made: no change of the API server without an outage",
            "run as root on a kernel with nf_tables, nft_nat, nft_socket and CONFIG_NF_CONNTRACK_TIMEOUT, and install nftables 0.9.8 or newer"),
    FIREWALL_DROPS(
            MACHINE,
            WARNING,
            "firewall",
            "a chain drops incoming packets that none of its rules accepts",
            "clients reach the understudy through the front only when its port is accepted too",
            "accept TCP port " + Component.API_SERVER.understudyPort() + " wherever " + Component.API_SERVER.port()
                    + " is accepted"),
    FIREWALL_HIDES(
            MACHINE,
            WARNING,
            "firewall",
            "a rule says notrack",
            "connections that it matches are never translated: the front has no effect on them",
            "let it not match TCP port " + Component.API_SERVER.port()),
    PATH_IS_BROKEN(
            MACHINE,
            PROBLEM,
            "path",
            "who dials the node, from itself or from off loopback, is shown another certificate than that of the API server that"
                    + " the front means, or none; or the understudy's port is not let through",
            "clients do not meet the API server that the front means, or will not when it changes or fails",
            "the finding says what to look for: a firewall, a rule with notrack, another translation, another listener"),
    MEMORY_FOR_NONE(
            MACHINE,
            PROBLEM,
            "memory",
            "less than 512 MiB are available",
            "a control plane does not fit; the kernel will end processes",
            "have 1024 MiB available"),
    MEMORY_FOR_ONE(
            MACHINE,
            WARNING,
            "memory",
            "less than 1024 MiB are available",
            "two API servers may not fit beside each other: a change may fail, and is then taken back",
            "have 1024 MiB available"),
    SWAP_IS_ON(
            MACHINE,
            WARNING,
            "swap",
            "there is a swap area",
            "the kubelet does not start unless its configuration allows swap",
            "swapoff -a and remove it from /etc/fstab, or set failSwapOn: false"),
    CGROUPS_ARE_MISSING(
            MACHINE,
            PROBLEM,
            "cgroups",
            "a controller that a kubelet needs is not there: cpu, cpuset, memory, pids",
            "the kubelet does not start",
            "mount them, or enable them on the kernel's command line (cgroup_enable=)"),
    CGROUPS_ARE_OLD(
            MACHINE,
            WARNING,
            "cgroups",
            "cgroup v1",
            "kubelets from 1.35 on do not start on it by default",
            "boot with systemd.unified_cgroup_hierarchy=1, or set failCgroupV1: false"),
    NO_FORWARDING(
            MACHINE,
            WARNING,
            "net.ipv4.ip_forward",
            "is not 1",
            "packets of pods do not leave the node",
            "sysctl -w net.ipv4.ip_forward=1"),
    NO_BRIDGE_FILTER(
            MACHINE,
            WARNING,
            "net.bridge.bridge-nf-call-iptables",
            "is not 1",
            "pods on a bridge do not reach Services that lead back to that bridge",
            "modprobe br_netfilter; sysctl -w net.bridge.bridge-nf-call-iptables=1"),
    POD_NETWORKS_OUTLIVE_A_BOOT(
            MACHINE,
            WARNING,
            "pod network state",
            "/var/lib/cni is neither in memory nor cleared at boot",
            "a record in it that a power cut tore keeps pods from being started, for ever",
            "with systemd write 'R! /var/lib/cni' to /etc/tmpfiles.d/cni.conf, else mount a tmpfs there, in /etc/fstab: tmpfs"
                    + " /var/lib/cni tmpfs mode=0755 0 0"),
    MTU_IS_TOO_LARGE(
            MACHINE,
            WARNING,
            "mtu",
            "the network plugins' configuration gives pods larger packets than the link of the default route takes",
            "large packets of pods are cut into pieces on the way, or lost where that is forbidden: small requests work, large ones hang",
            "set mtu in /etc/cni/net.d to that of the link, less what an overlay adds (50 for VXLAN, 60 for WireGuard)"),
    CLOCK_RUNS_FREE(
            MACHINE,
            WARNING,
            "clock",
            "the kernel says that nothing synchronises it",
            "a clock that is minutes off makes new certificates invalid on other machines",
            "run chrony or systemd-timesyncd, if nothing outside this machine keeps its clock"),
    DISK_TAKES_NO_WRITES(
            MACHINE,
            PROBLEM,
            "disk space",
            "a file system that a node writes to cannot be written, although there is room: it is read-only, or its disk fails",
            "etcd and the kubelet end or hang, the API takes no change, and what is to be kept is not",
            "dmesg says why: the kernel makes a file system with errors read-only. Replace a disk that fails; else unmount it, run"
                    + " fsck, and mount it again"),
    DISK_IS_FULL(
            MACHINE,
            PROBLEM,
            "disk space",
            "a file system that a node writes to has less than 64 MiB free, or no inode",
            "etcd ends and takes the API with it, no pod can be made, no checkpoint written; the control plane comes back by itself when"
                    + " there is room",
            "du --one-file-system --max-depth=3 and the place say what fills it: remove that, nothing of etcd's"),
    DISK_FILLS(
            MACHINE,
            WARNING,
            "disk space",
            "a file system that a node writes to is below one of the kubelet's default thresholds: 15 % free for images, 10 % elsewhere, 5 %"
                    + " of the inodes",
            "the kubelet removes images that no container uses, then evicts pods and takes no new ones; when it is full etcd ends",
            "du --one-file-system --max-depth=3 and the place say what fills it: remove some, or give the node more"),
    DISK_IS_TOO_SLOW(
            MACHINE,
            PROBLEM,
            "disk latency",
            "of 100 synced writes where etcd keeps its data one took longer than 100 ms",
            "etcd loses its leadership and the API server its storage whenever the disk is busy",
            "give etcd a disk of its own, a solid-state one"),
    DISK_IS_SLOW(
            MACHINE,
            WARNING,
            "disk latency",
            "of 100 synced writes where etcd keeps its data one took longer than 10 ms",
            "etcd asks for 10 ms; every write of the API waits for it",
            "give etcd a faster disk"),

    API_DOES_NOT_ANSWER(
            CLUSTER,
            PROBLEM,
            "api",
            "no API server of this cluster answers",
            "nothing can be changed or asked; what runs goes on",
            "ouro explain kube-apiserver on its node"),
    COMPONENT_DOES_NOT_SERVE(
            CLUSTER,
            PROBLEM,
            "components",
            "a component of the control plane does not serve",
            "what it does is not done until it is back",
            "ouro explain and its name"),
    NO_CHECKPOINT(
            CLUSTER,
            PROBLEM,
            "checkpoints",
            "a component of the control plane asks for no checkpoint, or has none that is proven",
            "it would not come back after a power cut, or when the last of its pods is lost",
            "ouro explain and its name says what its checkpoint waits for; a pod template asks for one with ouroboros.dev/checkpoint:"
                    + " \"true\""),
    CHECKPOINT_IS_UNUSABLE(
            CLUSTER,
            PROBLEM,
            "checkpoints",
            "a checkpoint on the node's disk is torn, edited or of another version",
            "it is left alone and never loaded: nothing stands in for the component",
            "ouro explain and its name; the keeper saves it anew when the component is well"),
    IMAGE_IS_NOT_ARCHIVED(
            CLUSTER,
            WARNING,
            "images",
            "a checkpoint's image has no archive on the node",
            "the kubelet's garbage collection does not know that an understudy needs it: once collected, it must be pulled, or the"
                    + " understudy does not start",
            "see why in the keeper's log (event=not-archived): room below /var/lib/ouroboros, and an image that containerd has whole"),
    CERTIFICATE_HAS_ENDED(
            CLUSTER,
            PROBLEM,
            "certificates",
            "a certificate of the control plane or of a kubelet has expired",
            "who shows it is refused, and who should trust it refuses",
            "while the API answers: ouro certificates renew, or renew-member on the node for etcd's; kubelets renew their own while they can reach the API; docs/certificates.md has the way where it does not"),
    CERTIFICATE_ENDS_SOON(
            CLUSTER,
            WARNING,
            "certificates",
            "a certificate of the control plane or of a kubelet expires within 30 days",
            "from then on who shows it is refused, and who should trust it refuses",
            "the steward renews them in time, where there is one; else: ouro certificates renew, and renew-member on the node for etcd's; kubelets renew their own"),
    CLOCKS_DIFFER(
            CLUSTER,
            WARNING,
            "clocks",
            "a kubelet that is ready renewed its Lease at a time that its clock cannot have shown",
            "new certificates and tokens are invalid on the machine that is behind; what is read of times misleads",
            "run chrony or systemd-timesyncd on every node, and here"),
    ETCD_IS_FULL(
            CLUSTER,
            PROBLEM,
            "etcd quota",
            "etcd's database has 95 % of its quota, or more",
            "at its quota etcd refuses every write until somebody defragments it and takes the alarm back",
            "ouro snapshot save FILE first; ouro etcd defragment; remove what fills it (ouro snapshot inspect FILE says what); then a larger"
                    + " --quota-backend-bytes"),
    ETCD_FILLS(
            CLUSTER,
            WARNING,
            "etcd quota",
            "etcd's database has 80 % of its quota, or more",
            "at its quota etcd refuses every write",
            "ouro snapshot save FILE, ouro snapshot inspect FILE says what fills it; ouro etcd defragment gives back what was freed"),
    ETCD_IS_OUT_OF_SPACE(
            CLUSTER,
            PROBLEM,
            "etcd alarms",
            "etcd has raised NOSPACE: its database reached the quota",
            "every write of the API fails until the alarm is taken back, however much room there is by then",
            "ouro snapshot save FILE first, ouro snapshot inspect FILE says what fills it; remove that, or have a larger --quota-backend-bytes; then"
                    + " ouro etcd defragment, which takes the alarm back, too"),
    ETCD_IS_CORRUPT(
            CLUSTER,
            PROBLEM,
            "etcd alarms",
            "etcd has raised CORRUPT: the data of its members differ",
            "etcd refuses every read and write of the API",
            "etcdctl endpoint hashkv of every member shows which one differs: replace that one, or ouro start --etcd-snapshot FILE goes back"
                    + " to a snapshot; then etcdctl alarm disarm"),
    ETCD_HAS_NO_LEADER(
            CLUSTER,
            PROBLEM,
            "etcd members",
            "no member of etcd that answers knows of a leader: fewer than a majority of the members are connected to each other",
            "nothing of the API can be written, and nothing is read as it is now",
            "start the members that are off, mend the network between them; if they are lost for good with their disks, ouro etcd recover on the node of the one that is left"),
    ETCD_MEMBER_DOES_NOT_ANSWER(
            CLUSTER,
            WARNING,
            "etcd members",
            "a member of etcd does not answer from here",
            "if it answers nobody, etcd bears the loss of fewer others: the evidence says how many",
            "see its node and its log (crictl logs, or /var/log/pods); a member that is off comes back by itself when its node does"),
    ETCD_MEMBER_IS_CUT_OFF(
            CLUSTER,
            WARNING,
            "etcd members",
            "a member of etcd follows no leader, or another one than the rest",
            "what it has grows old, and etcd bears the loss of fewer others: the evidence says how many",
            "mend the network between the members (port 2380): each must reach the others at their peer URLs; its log says whom it does not"),
    ETCD_DATA_DIFFERS(
            CLUSTER,
            PROBLEM,
            "etcd data",
            "the data of two members differ at one revision (ouro etcd status --hash)",
            "whoever reads gets other data from one than from the other, and both go on serving",
            "ouro snapshot save FILE of each; replace the member that differs from the majority, or ouro start --etcd-snapshot FILE goes back to a snapshot"),
    ETCD_MEMBER_LAGS(
            CLUSTER,
            WARNING,
            "etcd members",
            "a member's key space is 1,000 entries or more behind what is agreed on",
            "it answers with old data whoever does not ask for the latest, and is a bad leader",
            "ouro doctor on its node measures the disk; see what else uses disk and processor there"),
    ETCD_VOTERS_ARE_EVEN(
            CLUSTER,
            WARNING,
            "etcd members",
            "etcd has an even number of members that vote",
            "it bears the loss of no more members than with one less, and more of them must answer",
            "have 1, 3 or 5: ouro etcd join and add on another node, or ouro etcd leave on one (docs/etcd.md)"),
    ETCD_IS_FRAGMENTED(
            CLUSTER,
            WARNING,
            "etcd members",
            "45 % or more of a member's file of 100 MiB or more are not in use",
            "the file counts against the quota as a whole, and is read as a whole at a start",
            "ouro etcd defragment: one member after the other, whose clients wait meanwhile"),
    ETCD_DISK_IS_SLOW(
            CLUSTER,
            WARNING,
            "etcd disks",
            "1 % or more of a member's syncs of its write-ahead log took half a second or longer since it was started",
            "each write waits for the disks of a majority, and a leader that waits for its own loses its followers",
            "give /var/lib/etcd a disk of its own, or a faster one (10 ms is what etcd advises); ouro doctor on its node measures it"),
    CONTROL_PLANE_IS_STALLED(
            CLUSTER,
            WARNING,
            "control plane object",
            "what ControlPlane/cluster wishes is not done, and nothing moves",
            "certificates are not issued again, kubelets not changed, snapshots not saved, or etcd has not as many members as is wished",
            "kubectl describe controlplane cluster; kubectl -n kube-system logs daemonset/ouroboros-steward (docs/certificates.md, docs/kubelet.md, docs/etcd.md)"),
    VERSIONS_ARE_TOO_FAR_APART(
            CLUSTER,
            PROBLEM,
            "skew",
            "two components are further apart than Kubernetes supports",
            "nobody has tried the two together",
            "bring the older one to the version of the newer one; ouro upgrade plan has the order"),
    NODE_IS_ILL(
            CLUSTER,
            PROBLEM,
            "nodes",
            "a node is not ready or short of something, or no control-plane node takes new pods",
            "what runs there is not looked after, and a new pod may not start or stay",
            "kubectl describe node and its name"),
    KUBELET_IS_NOT_AS_WISHED(
            CLUSTER,
            WARNING,
            "kubelets",
            "a node did not run the kubelet that is wished of it, or cannot have it",
            "the node runs its former one, and no other node gets what is wished",
            "ouro kubelet rollback, or ouro kubelet set --again; journalctl -u kubelet on the node says why (docs/kubelet.md)"),
    NODE_HAS_NO_ROOM(
            CLUSTER,
            WARNING,
            "room",
            "a control-plane node has not the memory for a second API server, or its disk is nearly full, as its kubelet says",
            "a change may fail, and is then taken back; a full disk makes the kubelet remove images and evict pods",
            "free some, or give the node more"),
    REMOVED_API_IS_USED(
            CLUSTER,
            WARNING,
            "removed-apis",
            "a client has used an API version that a later Kubernetes does not serve",
            "that client fails from that version on",
            "find who it is by the audit annotation k8s.io/deprecated, and update it"),
    FLAG_GOES(
            CLUSTER,
            WARNING,
            "flags",
            "the control plane is started with a flag that the next minor version does not know any more",
            "the program ends at once with 'unknown flag' there",
            "the finding says what to write instead; ouro upgrade plan judges every flag for the version that you want");

    private final Place place;
    private final Severity severity;
    private final String check;
    private final String sign;
    private final String consequence;
    private final String remedy;

    /** What has to be looked at to find it. */
    public enum Place {
        /** A machine, before it is a node or since. */
        MACHINE,
        /** A cluster, through its API and what can be seen of its node. */
        CLUSTER
    }

    Ailment(Place place, Severity severity, String check, String sign, String consequence, String remedy) {
        this.place = place;
        this.severity = severity;
        this.check = check;
        this.sign = sign;
        this.consequence = consequence;
        this.remedy = remedy;
    }

    public Place place() {
        return place;
    }

    public Severity severity() {
        return severity;
    }

    /** What is looked at, as findings name it. */
    public String check() {
        return check;
    }

    /** What it is known by, in general. */
    public String sign() {
        return sign;
    }

    public String consequence() {
        return consequence;
    }

    public String remedy() {
        return remedy;
    }

    public Finding seen(String evidence) {
        return seen(evidence, remedy);
    }

    /** With a remedy for this case. */
    public Finding seen(String evidence, String remedyHere) {
        return seen(severity, evidence, consequence, remedyHere);
    }

    /** Of one of several things that have a check each, as in {@code port 6443}. */
    public Finding of(String checkHere, String evidence, String consequenceHere) {
        return new Finding(checkHere, severity, evidence, consequenceHere, remedy);
    }

    /** As somebody else judged it; what that does not say is as always. */
    public Finding seen(Severity asBad, String evidence, String consequenceHere, String remedyHere) {
        return new Finding(
                check,
                asBad,
                evidence,
                consequenceHere.isEmpty() ? consequence : consequenceHere,
                remedyHere.isEmpty() ? remedy : remedyHere);
    }
}
