package dev.ouroboros.cli;

import static dev.ouroboros.model.problem.ErrorCode.API_UNAVAILABLE;
import static dev.ouroboros.model.problem.ErrorCode.BAD_USAGE;
import static dev.ouroboros.model.problem.ErrorCode.DISK;
import static dev.ouroboros.model.problem.ErrorCode.EDITED_FILE;
import static dev.ouroboros.model.problem.ErrorCode.INVALID_ASSET_DIRECTORY;
import static dev.ouroboros.model.problem.ErrorCode.INVALID_FLAG;
import static dev.ouroboros.model.problem.ErrorCode.INVALID_KEY_MATERIAL;
import static dev.ouroboros.model.problem.ErrorCode.MISSING_PERMISSION;
import static dev.ouroboros.model.problem.ErrorCode.NOT_FOUND;
import static dev.ouroboros.model.problem.ErrorCode.UNSUPPORTED_VERSION;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.cli.Blunder.Said;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.render.manifest.EtcdStaticPod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Options that do not fit each other, and those that name what is not there. */
final class OptionMistakes {
    private static final String JOIN_TOKEN = "abcdef.0123456789abcdef";

    private OptionMistakes() {}

    static Stream<Mistake> all() {
        return Stream.of(together(), incomplete(), misspelt(), absent(), rights(), starts(), plans(), upgrades())
                .flatMap(List::stream);
    }

    private static List<Mistake> together() {
        return List.of(
                new Mistake(
                        BAD_USAGE,
                        "--all and --name",
                        "leave --name out",
                        blunder -> blunder.ouro("down", "--all", "--name", "one")),
                new Mistake(
                        BAD_USAGE,
                        "--encryption-config: is for what a snapshot has encrypted",
                        "give --snapshot FILE too",
                        blunder -> blunder.ouro("up", "--encryption-config", blunder.path("keys.yaml"))),
                new Mistake(
                        BAD_USAGE,
                        "both name a containerd",
                        "leave --address out",
                        blunder -> blunder.ouro("images", "load", "--name", "one", "--address", "/c.sock")),
                new Mistake(
                        BAD_USAGE,
                        "--programs: is of a bundle",
                        "add --bundle FILE",
                        blunder -> blunder.ouro("images", "load", "--programs", blunder.path("bin"))),
                new Mistake(
                        BAD_USAGE,
                        "--as: names one image of your own, and 0 are given",
                        "FILE --as NAME",
                        blunder -> blunder.ouro("images", "load", "--as", "app")),
                new Mistake(
                        BAD_USAGE,
                        "--token: is no token",
                        "ouro token create",
                        blunder -> blunder.ouro(
                                "host", "join", "10.0.0.5:6443", "--token", "secret", "--ca-hash", "0".repeat(64))),
                new Mistake(
                        BAD_USAGE,
                        "--ca-hash: is no hash",
                        "ouro token create",
                        blunder -> blunder.ouro(
                                "host", "join", "10.0.0.5:6443", "--token", JOIN_TOKEN, "--ca-hash", "sha256:0")),
                new Mistake(
                        BAD_USAGE,
                        "--ca-hash: is missing, and so is --ca-file",
                        "ouro token create",
                        blunder -> blunder.ouro("host", "join", "10.0.0.5:6443", "--token", JOIN_TOKEN)),
                new Mistake(
                        BAD_USAGE,
                        "SERVER: 'http://10.0.0.5' is no URL of an API server",
                        "ouro token create",
                        blunder -> blunder.ouro(
                                "host", "join", "http://10.0.0.5", "--token", JOIN_TOKEN, "--ca-hash", "0".repeat(64))),
                new Mistake(
                        BAD_USAGE,
                        "--ttl: is too short to join within",
                        "--ttl 1h",
                        blunder -> blunder.ouro("token", "create", "--ttl", "1s")),
                new Mistake(
                        BAD_USAGE,
                        "ID: is no token's",
                        "ouro token list",
                        blunder -> blunder.ouro("token", "delete", "ABC")),
                new Mistake(
                        INVALID_FLAG,
                        "--workers: '300'",
                        "--workers 2",
                        blunder -> blunder.ouro("up", "--workers", "300")),
                new Mistake(
                        BAD_USAGE,
                        "--no-start and --workers: do not go together",
                        "once the cluster runs, 'ouro up --workers N' adds them",
                        blunder -> blunder.ouro("up", "--no-start", "--workers", "1")),
                new Mistake(
                        INVALID_FLAG, "--cpus: '300m'", "--cpus 0.3", blunder -> blunder.ouro("up", "--cpus", "300m")),
                new Mistake(
                        BAD_USAGE,
                        "--as: is 'Foo:BAR/x', which is no image reference",
                        "correct it",
                        blunder -> blunder.ouro("images", "load", "app.tar", "--as", "Foo:BAR/x")),
                new Mistake(
                        BAD_USAGE,
                        "app.tar: is an image of your own",
                        "in two commands",
                        blunder -> blunder.ouro("images", "load", "app.tar", "--binaries", "debian")),
                new Mistake(
                        BAD_USAGE,
                        "--all and --static-pods",
                        "say --static-pods for static pods",
                        blunder -> blunder.ouro("lint", "--all", "--static-pods", blunder.path("."))),
                new Mistake(
                        BAD_USAGE,
                        "--name: is given beside --etcd-servers",
                        "leave --name out",
                        blunder -> blunder.ouro(
                                "snapshot",
                                "save",
                                blunder.path("new.db"),
                                "--name",
                                "one",
                                "--etcd-servers",
                                "https://127.0.0.1:1")),
                new Mistake(
                        BAD_USAGE,
                        "--output: is table",
                        "add -o yaml or -o json",
                        blunder -> blunder.ouro("snapshot", "extract", blunder.path("x.db"), "-o", "table")),
                new Mistake(
                        BAD_USAGE,
                        "--etcd-manifest: is given without --etcd-snapshot",
                        "name the snapshot with --etcd-snapshot FILE",
                        blunder -> start(blunder, "--etcd-manifest", blunder.path("etcd.yaml"))),
                new Mistake(
                        BAD_USAGE,
                        "--etcd-tool: is given without --etcd-snapshot",
                        "name the snapshot with --etcd-snapshot FILE",
                        blunder -> start(blunder, "--etcd-tool", blunder.path("etcdutl"))),
                new Mistake(
                        BAD_USAGE,
                        "--discard-etcd: is given without --etcd-snapshot",
                        "name the snapshot with --etcd-snapshot FILE",
                        blunder -> start(blunder, "--discard-etcd")));
    }

    private static Said start(Blunder blunder, Object... more) {
        return blunder.ouro(
                Stream.concat(Stream.of("start", "--dry-run", "--asset-dir", blunder.path("assets")), Stream.of(more))
                        .toArray());
    }

    private static List<Mistake> incomplete() {
        return List.of(
                new Mistake(BAD_USAGE, "FILE|DIR: is missing", "ouro lint --help", blunder -> blunder.ouro("lint")),
                new Mistake(
                        BAD_USAGE,
                        "has nothing to probe",
                        "ouro kubeconfig prints where a sandbox has its own",
                        blunder -> blunder.ouroAlone(List.of("env", "--unset=KUBECONFIG"), "probe")),
                new Mistake(
                        BAD_USAGE,
                        "certificate without its key",
                        "give the certificate and its key",
                        blunder -> blunder.ouro(
                                "snapshot",
                                "save",
                                blunder.path("new.db"),
                                "--etcd-servers",
                                "https://127.0.0.1:1",
                                "--etcd-certificate-path",
                                blunder.file("client.crt", ""))));
    }

    private static List<Mistake> misspelt() {
        return List.of(
                new Mistake(
                        BAD_USAGE,
                        "ouro kubelet set: nothing is wished",
                        "has examples",
                        blunder -> blunder.ouro("kubelet", "set")),
                new Mistake(
                        INVALID_FLAG,
                        "--config: 'maxPods' has no name and value",
                        "has an example",
                        blunder -> blunder.ouro("kubelet", "set", "--config", "maxPods")),
                new Mistake(
                        INVALID_FLAG,
                        "--argument: --v has dashes",
                        "has an example",
                        blunder -> blunder.ouro("kubelet", "set", "--argument", "--v=2")),
                new Mistake(
                        NOT_FOUND,
                        "nowhere: is no file",
                        "give the path of one",
                        blunder -> blunder.ouro("kubelet", "load", "nowhere")),
                new Mistake(
                        INVALID_FLAG,
                        "--lifetime: no time at all",
                        "--lifetime 90d",
                        blunder -> blunder.ouro(
                                "certificates", "renew-kubeconfig", "none", "--asset-dir", "none", "--lifetime", "0s")),
                new Mistake(
                        BAD_USAGE,
                        "'newest' is no version",
                        "leave --kubelet-version out",
                        blunder -> blunder.ouro("lint", "--kubelet-version", "newest", blunder.path("."))),
                new Mistake(
                        BAD_USAGE,
                        "--server: ",
                        "give --server as in https://10.77.0.2:6443",
                        blunder -> blunder.ouro("probe", "--server", "ftp://127.0.0.1")),
                new Mistake(
                        BAD_USAGE,
                        "--network-provider: found calico",
                        "put the manifests of calico into a directory and name it in spec.addOns",
                        blunder -> blunder.ouro(
                                "render", "--asset-dir", blunder.path("assets"), "--network-provider", "calico")),
                new Mistake(
                        INVALID_FLAG,
                        "--registry-mirror: 'mirror:5000'",
                        "with http:// or https://",
                        blunder -> blunder.ouro("up", "--name", "one", "--registry-mirror", "mirror:5000")),
                new Mistake(
                        INVALID_KEY_MATERIAL,
                        "ca.crt: has no certificate",
                        "openssl x509 -in FILE -text",
                        blunder ->
                                blunder.ouro("up", "--name", "one", "--registry-ca", blunder.file("ca.crt", "none"))));
    }

    private static List<Mistake> absent() {
        return List.of(
                new Mistake(
                        NOT_FOUND,
                        "etcd.yaml: does not exist",
                        "run this on the node of a member",
                        blunder -> blunder.ouro(
                                "certificates", "renew-member", "--etcd-manifest", blunder.path("etcd.yaml"))),
                new Mistake(
                        INVALID_KEY_MATERIAL,
                        "are not a certificate and its key",
                        "--etcd-ca-path and --etcd-ca-key-path",
                        blunder -> blunder.ouro(
                                "certificates",
                                "renew-member",
                                "--asset-dir",
                                blunder.path("none"),
                                "--etcd-manifest",
                                blunder.file(
                                        "etcd.yaml",
                                        EtcdStaticPod.of("node-1", "registry.example/etcd:3.4.23", "10.77.0.2")
                                                .yaml()))),
                new Mistake(
                        NOT_FOUND,
                        "ca.crt: does not exist",
                        "give the path of one with --registry-ca",
                        blunder -> blunder.ouro("up", "--name", "one", "--registry-ca", blunder.path("ca.crt"))),
                new Mistake(
                        NOT_FOUND,
                        "app.tar: is no file, and no name of an image",
                        "docker save -o FILE IMAGE",
                        blunder -> blunder.ouro("images", "load", blunder.path("app.tar"), "--address", "/c.sock")),
                new Mistake(
                        NOT_FOUND,
                        "missing.yaml: does not exist",
                        "give the path of one: ouro lint FILE|DIR",
                        blunder -> blunder.ouro("lint", blunder.path("missing.yaml"))),
                new Mistake(
                        NOT_FOUND,
                        "/root does not exist",
                        "mount that machine's disk there first",
                        blunder -> blunder.ouro("host", "reset", "--yes", "--root", blunder.path("root"))),
                new Mistake(
                        NOT_FOUND,
                        "keys.yaml: does not exist; expected an EncryptionConfiguration",
                        "copy it from the API server's --encryption-provider-config",
                        blunder -> blunder.ouro(
                                "snapshot",
                                "inspect",
                                blunder.snapshot(),
                                "--encryption-config",
                                blunder.path("keys.yaml"))),
                new Mistake(
                        NOT_FOUND,
                        "admin.conf: does not exist; expected a kubeconfig",
                        "give the path of one with --kubeconfig",
                        blunder -> blunder.ouro(
                                "recover",
                                "--recovery-dir",
                                blunder.path("new"),
                                "--kubeconfig",
                                blunder.path("admin.conf"))),
                new Mistake(
                        NOT_FOUND,
                        "--name: there is no sandbox 'no-such-one'",
                        "ouro up",
                        blunder -> blunder.ouro("kubeconfig", "--name", "no-such-one")),
                new Mistake(
                        NOT_FOUND,
                        "NODE: there is no node 'no-such-node'",
                        "ouro up",
                        blunder -> blunder.ouro("exec", "no-such-node", "--", "true")),
                new Mistake(
                        DISK,
                        "no directory for a snapshot of the etcd can be made there",
                        "take the snapshot yourself and give it with --snapshot",
                        blunder -> blunder.ouroAlone(
                                List.of("env", "JAVA_TOOL_OPTIONS=-Djava.io.tmpdir=" + blunder.path("none")),
                                "recover",
                                "--recovery-dir",
                                blunder.path("new").toString(),
                                "--etcd-servers",
                                "https://127.0.0.1:1")),
                new Mistake(
                        API_UNAVAILABLE,
                        "API server: https://127.0.0.1:",
                        "its server can be reached, or run this on its node",
                        blunder -> blunder.ouro(
                                "status",
                                "--kubeconfig",
                                blunder.kubeconfig(new TestAuthority(), Blunder.deadPort()))));
    }

    private static List<Mistake> rights() {
        return List.of(new Mistake(
                MISSING_PERMISSION,
                "ouro host: changes a machine",
                "run it as root",
                blunder -> blunder.ouroAlone(
                        List.of("unshare", "--user"),
                        "host",
                        "reset",
                        "--yes",
                        "--root",
                        Files.createDirectories(blunder.path("root")).toString())));
    }

    private static List<Mistake> starts() {
        return List.of(
                new Mistake(
                        INVALID_ASSET_DIRECTORY,
                        "none of which is this machine's",
                        "say this machine's address with --node-address",
                        blunder -> startOfRendered(blunder)),
                new Mistake(
                        INVALID_ASSET_DIRECTORY,
                        "is a loopback address",
                        "take an outage of some seconds with --allow-outage",
                        blunder -> startOfRendered(blunder, "--node-address", "127.0.0.1")),
                new Mistake(
                        BAD_USAGE,
                        "--adopt: what it promises needs the front",
                        "start without --adopt",
                        blunder ->
                                startOfRendered(blunder, "--node-address", "127.0.0.1", "--allow-outage", "--adopt")),
                new Mistake(
                        INVALID_FLAG,
                        "nobody is neither a DaemonSet nor a Deployment",
                        "name one of these with --required-pods",
                        blunder -> startOfRendered(
                                blunder,
                                "--node-address",
                                "127.0.0.1",
                                "--allow-outage",
                                "--required-pods",
                                "kube-system/nobody")),
                new Mistake(INVALID_ASSET_DIRECTORY, "cannot be resolved", "add it to DNS or /etc/hosts", blunder -> {
                    rendered(blunder);
                    Path kubeconfig = blunder.path("assets/auth/kubeconfig");
                    // No label of a name has 64 letters: nobody is asked for it.
                    Files.writeString(
                            kubeconfig, Files.readString(kubeconfig).replace("10.77.0.2", "n".repeat(64) + ".invalid"));
                    return start(blunder);
                }));
    }

    private static Said startOfRendered(Blunder blunder, Object... more) throws IOException {
        rendered(blunder);
        return start(blunder, more);
    }

    private static List<Mistake> plans() {
        return List.of(
                new Mistake(BAD_USAGE, "TARGET: is missing", "1.21.0 shows the way there", blunder -> plan(blunder)),
                new Mistake(
                        UNSUPPORTED_VERSION,
                        "TARGET: no data for v1.2.0",
                        "use the ouro of a later release",
                        blunder -> plan(blunder, "1.2.0")),
                new Mistake(
                        INVALID_ASSET_DIRECTORY,
                        "--asset-dir: ",
                        "less can be looked at then",
                        blunder -> plan(blunder, "1.36.3", "--asset-dir", blunder.path("none"))),
                new Mistake(API_UNAVAILABLE, "https://127.0.0.1:", "ouro status", blunder -> plan(blunder, "1.36.3")),
                new Mistake(
                        NOT_FOUND,
                        "none.yaml: there is no such file",
                        "give the path of the document that is there",
                        blunder -> plan(blunder, "--config", blunder.path("none.yaml"))),
                new Mistake(NOT_FOUND, "COMPONENT: nobody has no manifest", "leave COMPONENT out", blunder -> {
                    rendered(blunder);
                    return blunder.ouro(
                            "diff", "nobody", "--asset-dir", blunder.path("assets"), "--kubeconfig", nobody(blunder));
                }));
    }

    private static Said plan(Blunder blunder, Object... more) throws Exception {
        return blunder.ouro(
                Stream.concat(Stream.of("upgrade", "plan", "--kubeconfig", nobody(blunder)), Stream.of(more))
                        .toArray());
    }

    private static Path nobody(Blunder blunder) throws Exception {
        return blunder.kubeconfig(new TestAuthority(), Blunder.deadPort());
    }

    private static List<Mistake> upgrades() {
        return List.of(
                new Mistake(
                        BAD_USAGE,
                        "TARGET: 'newest' is no version",
                        "ouro upgrade plan --kubeconfig",
                        blunder -> blunder.ouro(
                                "upgrade",
                                "plan",
                                "newest",
                                "--kubeconfig",
                                blunder.kubeconfig(new TestAuthority(), Blunder.deadPort()))),
                new Mistake(
                        BAD_USAGE,
                        "cluster: kubeconfig",
                        "an asset directory has auth/kubeconfig",
                        blunder -> blunder.ouro(
                                "upgrade", "plan", "1.36.3", "--kubeconfig", blunder.path("no-such-file"))),
                new Mistake(
                        BAD_USAGE,
                        "cluster: kubeconfig",
                        "an asset directory has auth/kubeconfig",
                        blunder -> blunder.ouro("doctor", "--kubeconfig", blunder.path("no-such-file"))),
                new Mistake(
                        BAD_USAGE,
                        "cluster: kubeconfig",
                        "an asset directory has auth/kubeconfig",
                        blunder -> blunder.ouro("status", "--wait=1h", "--kubeconfig", blunder.path("no-such-file"))),
                new Mistake(
                        INVALID_ASSET_DIRECTORY,
                        "/assets: there is no such directory",
                        "ouro recover makes one from a cluster",
                        blunder -> blunder.ouro("upgrade", "apply", "--asset-dir", blunder.path("assets"))),
                new Mistake(
                        BAD_USAGE,
                        "--config: is missing",
                        "add --config FILE",
                        blunder -> blunder.ouro(
                                "upgrade",
                                "apply",
                                "1.36.3",
                                "--asset-dir",
                                Files.createDirectories(blunder.path("assets")))),
                new Mistake(
                        BAD_USAGE,
                        "--snapshot-dir: is missing",
                        "etcd is saved there before anything is changed",
                        blunder -> blunder.ouro(
                                "upgrade",
                                "apply",
                                "--config",
                                rendered(blunder),
                                "--asset-dir",
                                blunder.path("assets"))),
                new Mistake(
                        EDITED_FILE,
                        "kube-apiserver.yaml: was edited since it was rendered",
                        "make the change in the Cluster document",
                        blunder -> {
                            Path document = rendered(blunder);
                            blunder.file("assets/manifests/kube-apiserver.yaml", "# mine");
                            Files.writeString(
                                    document, Files.readString(document) + "  network: {podCIDR: 10.4.0.0/16}\n");
                            return blunder.ouro(
                                    "upgrade",
                                    "apply",
                                    "1.36.3",
                                    "--config",
                                    document,
                                    "--asset-dir",
                                    blunder.path("assets"));
                        }));
    }

    /** A Cluster document, and the asset directory that it makes. */
    static Path rendered(Blunder blunder) throws IOException {
        Path document = blunder.document(Blunder.goodDocument().toArray(String[]::new));
        Said said = blunder.ouro("render", "--asset-dir", blunder.path("assets"), "--config", document);
        assertThat(said.exitCode()).as(said.error()).isZero();
        return document;
    }
}
