package dev.ouroboros.model.problem;

/**
 * Every error Ouroboros reports has one of these codes; scripts match on the name. What is said here is the general case, as {@code
 * docs/errors.md} has it: a {@link Problem} says what was found this time, and what to do about that.
 */
public enum ErrorCode {
    BAD_USAGE(
            Kind.USER,
            "The arguments do not fit the command or each other.",
            "a misspelt option, one without the other that it needs, two that say different things",
            "the error names the option; `ouro COMMAND --help` shows all of them with an example"),
    INVALID_CONFIG(
            Kind.USER,
            "A file that people write cannot be understood: a Cluster document, a manifest, a kubeconfig, an EncryptionConfiguration.",
            "a slip in the YAML, an unknown field, a value outside of what is allowed",
            "correct the file at the line that the error names; docs/examples/cluster.yaml has every field of a Cluster document"),
    INVALID_FLAG(
            Kind.USER,
            "The value of an option, or of a component's flag in a Cluster document, is not one that it takes.",
            "a flag that this version of Kubernetes does not have, or that something else decides; a value in another notation",
            "take one of the values that the error names"),
    INVALID_KEY_MATERIAL(
            Kind.USER,
            "A certificate or a key cannot be used.",
            "no PEM, a password on the key, an expired certificate, a key of another certificate, an authority that is none",
            "give the right file; `openssl x509 -in FILE -text` shows a certificate. Where none is given, `ouro render` makes them"),
    INVALID_ASSET_DIRECTORY(
            Kind.USER,
            "The asset directory lacks a file, or one in it does not say what it must.",
            "another directory, a render that was interrupted, an edit by hand, an address that is not this machine's",
            "`ouro render` again into the same directory, which keeps its keys; or give the right `--asset-dir`"),
    UNSUPPORTED_VERSION(
            Kind.USER,
            "There are no data for this version, or the parts are not of the version that was asked for.",
            "a Kubernetes older or newer than this ouro knows, binaries of another version, a file of a later ouro",
            "choose a version of the range in the error, or the ouro of a later release"),
    UNSUPPORTED_CLUSTER(
            Kind.USER,
            "The cluster is built in a way that the command cannot work with.",
            "a component that a shell starts, keys in an unusual place, another control-plane node, an etcd that is not a static pod",
            "the error says what to change, or by which other way it is done"),
    CANNOT_BE_STATIC(
            Kind.USER,
            "A pod of the control plane cannot be kept as a static pod: it needs something that only an API server gives.",
            "a ServiceAccount token, a volume claim, a CSI volume, a field that ouro does not know",
            "change the pod template as the error says; `ouro lint FILE` says it before a cluster does"),
    CHANGE_REFUSED(
            Kind.USER,
            "What was asked for would break the cluster or lose data.",
            "a restore over a cluster that serves, a server of an older version, keys that one of two servers could not read",
            "take the way that the error names, in several steps where it says so (docs/change.md)"),
    EDITED_FILE(
            Kind.USER,
            "A file that ouro wrote was changed since, and would be overwritten or trusted.",
            "an edit by hand in the asset directory, or below /var/lib/ouroboros",
            "make the change in the Cluster document or in the cluster; or move the file away, and it is written again"),
    NOT_FOUND(
            Kind.USER,
            "What an argument names is not there: a file, a sandbox, an object, an image.",
            "a misspelt path, another directory, a sandbox that does not run",
            "correct the path; `ouro nodes` lists sandboxes, `ouro up` starts one"),
    UNUSABLE_IMAGE(
            Kind.USER,
            "A file is no archive of container images, or of one that cannot be loaded.",
            "another file, an image of another architecture, one that was saved by its ID and so has no name",
            "`docker save -o FILE IMAGE` on a machine that has the image makes such a file; `--as NAME` names what has no name"),
    NOT_A_DATABASE(
            Kind.USER,
            "The file is no database of etcd.",
            "another file, one that is compressed, one whose beginning is lost",
            "give a snapshot or DATA-DIR/member/snap/db; `ouro snapshot inspect FILE --salvage` reads what is left of a damaged one"),
    COMPACTED(
            Kind.USER,
            "etcd no longer had this revision when the snapshot was taken.",
            "`--revision` of a time before the last compaction: API servers compact every 5 minutes",
            "leave `--revision` out, take a later one, or an older snapshot"),
    KEY_MISSING(
            Kind.USER,
            "Objects are encrypted, and the key that opens them was not given.",
            "no `--encryption-config`, or one from before or after a rotation",
            "give the file that the API server read with --encryption-provider-config when the snapshot was taken"),

    MISSING_TOOL(
            Kind.ENVIRONMENT,
            "This machine lacks a program, a library, a kernel feature or memory.",
            "a minimal installation, a container, another distribution",
            "install what the error names; `ouro doctor` looks for all of it"),
    MISSING_PERMISSION(
            Kind.ENVIRONMENT,
            "The operating system does not let this user do it.",
            "ouro was not run as root",
            "run it as root: `sudo ouro ...`"),
    FOREIGN_FILE(
            Kind.ENVIRONMENT,
            "Something is in the place of a file of ours that ouro did not write, or that cannot be read as one.",
            "another tool's file, one that a full disk or a power cut left torn",
            "look at it, and move it away when nothing needs it; ouro never overwrites it"),
    FOREIGN_TABLE(
            Kind.ENVIRONMENT,
            "There is an nftables table of our name that ouro did not make.",
            "another program, or rules made by hand",
            "`nft list table inet ouroboros`; rename or delete it"),
    FRONT_BROKEN(
            Kind.ENVIRONMENT,
            "Packets to the API's port do not reach the server that the front points to.",
            "a firewall before the understudy's port, a rule with notrack, another translation of the port, a flushed ruleset",
            "let the port through as the error says; `ouro doctor` tries the path again and changes nothing"),
    PORT_IN_USE(
            Kind.ENVIRONMENT,
            "Another program listens on a port that is needed.",
            "a control plane of another tool, a proxy, an earlier run in a container",
            "end that program or give it another port: `ss -ltnp` shows who listens"),
    LOCKED(
            Kind.ENVIRONMENT,
            "Somebody else does this, or what would disturb it, right now.",
            "the same command in another terminal, a keeper that stands in for a component, a restore that has not ended",
            "wait for it; the error names the process where it is known"),
    DISK(
            Kind.ENVIRONMENT,
            "The operating system refused to read or write a file, or there is no room for it.",
            "a full disk, a read-only mount, missing rights, a directory in the place of a file",
            "the error says what the system said; `df -h`, `df -i`, `dmesg`"),
    DAMAGED_FILE(
            Kind.ENVIRONMENT,
            "The content of a file is not what was written: a snapshot, a bundle, a list of our files.",
            "a copy that was cut short, a failing disk, an edit by hand",
            "copy or make it again, and use another copy meanwhile"),
    FILE_CHANGED(
            Kind.ENVIRONMENT,
            "A database was written to while it was read.",
            "the file member/snap/db of an etcd that runs",
            "`ouro snapshot save FILE` takes a snapshot of a running etcd; read that"),
    UNREADABLE_OBJECT(
            Kind.ENVIRONMENT,
            "An object in etcd is not as an API server stores one.",
            "a damaged record, another program that writes to this etcd",
            "read the others; an older snapshot may have the object whole"),
    PROCESS_FAILED(
            Kind.ENVIRONMENT,
            "A program that ouro ran failed.",
            "what its own last lines, which the error repeats, say",
            "mend that, or run it by hand to see more, and run the same command again"),
    TIMEOUT(
            Kind.ENVIRONMENT,
            "Something took longer than it may, or the wait was interrupted.",
            "a slow or overloaded machine, a component that does not become ready, Ctrl-C",
            "`ouro status` and `ouro explain` say what it waits for; run the same command again, which goes on"),
    UNSUPPORTED_RUNTIME(
            Kind.ENVIRONMENT,
            "The container runtime cannot do what is needed.",
            "a runtime other than containerd: images cannot be archived",
            "use containerd, or make sure that every node can pull the images of its control plane"),

    API_UNAVAILABLE(
            Kind.REMOTE,
            "No API server gives a usable answer.",
            "none runs or none can be reached, it is just starting, the kubeconfig is another cluster's, a proxy answers",
            "`ouro status` says what runs, also without an API server"),
    API_REFUSED(
            Kind.REMOTE,
            "The API server answered, and refused.",
            "a user without the right, an admission webhook, an object that it finds invalid",
            "use the kubeconfig of an administrator: `auth/kubeconfig` of the asset directory; `kubectl auth can-i --list` shows rights"),
    COMPONENT_FAILED(
            Kind.REMOTE,
            "A component of the cluster does not do its work.",
            "a flag that it does not know, a file that is missing, an image that cannot be pulled",
            "`ouro explain COMPONENT` and the log of its container; mend that and run the same command again, which goes on"),
    DOWNLOAD_FAILED(
            Kind.REMOTE,
            "A file could not be downloaded, or is not what its checksum says.",
            "no network, a proxy, a version that was never released",
            "run it again, it goes on where it stopped; or give the binaries as a directory: `--binaries DIR`"),
    RUNTIME_UNAVAILABLE(
            Kind.REMOTE,
            "Nothing answers at the container runtime's socket.",
            "containerd does not run, or has another socket",
            "`systemctl status containerd`; name the socket where it is another one"),
    RUNTIME_REFUSED(
            Kind.REMOTE,
            "The container runtime answered, and refused.",
            "a container or an image that is gone, a runtime that is out of room",
            "`journalctl -u containerd` has the reason"),
    ETCD_UNAVAILABLE(
            Kind.REMOTE,
            "No etcd answers.",
            "it does not run, the address is a peer's or another's, a firewall is before it",
            "give the address of its --advertise-client-urls with `--etcd-servers`; its container's log says why it does not run"),
    ETCD_REFUSED(
            Kind.REMOTE,
            "etcd answered, and refused.",
            "a certificate that it does not trust, or one of its that we do not; its own authentication; an etcd before 3.4",
            "give the right files with `--etcd-ca-path`, `--etcd-certificate-path` and `--etcd-private-key-path`"),

    INTERNAL(
            Kind.INTERNAL,
            "A defect in ouro itself.",
            "none of yours",
            "please report it with everything that was printed; the command can be run again");

    private final Kind kind;
    private final String meaning;
    private final String cause;
    private final String remedy;

    ErrorCode(Kind kind, String meaning, String cause, String remedy) {
        this.kind = kind;
        this.meaning = meaning;
        this.cause = cause;
        this.remedy = remedy;
    }

    public Kind kind() {
        return kind;
    }

    /** What it says, in a sentence. */
    public String meaning() {
        return meaning;
    }

    /** How people come to see it. */
    public String cause() {
        return cause;
    }

    /** What helps in general. */
    public String remedy() {
        return remedy;
    }
}
