package dev.ouroboros.cli;

import static dev.ouroboros.model.problem.ErrorCode.API_REFUSED;
import static dev.ouroboros.model.problem.ErrorCode.API_UNAVAILABLE;
import static dev.ouroboros.model.problem.ErrorCode.BAD_USAGE;
import static dev.ouroboros.model.problem.ErrorCode.CHANGE_REFUSED;
import static dev.ouroboros.model.problem.ErrorCode.COMPONENT_FAILED;
import static dev.ouroboros.model.problem.ErrorCode.DAMAGED_FILE;
import static dev.ouroboros.model.problem.ErrorCode.DISK;
import static dev.ouroboros.model.problem.ErrorCode.EDITED_FILE;
import static dev.ouroboros.model.problem.ErrorCode.ETCD_REFUSED;
import static dev.ouroboros.model.problem.ErrorCode.ETCD_UNAVAILABLE;
import static dev.ouroboros.model.problem.ErrorCode.FOREIGN_FILE;
import static dev.ouroboros.model.problem.ErrorCode.INVALID_ASSET_DIRECTORY;
import static dev.ouroboros.model.problem.ErrorCode.INVALID_CONFIG;
import static dev.ouroboros.model.problem.ErrorCode.INVALID_FLAG;
import static dev.ouroboros.model.problem.ErrorCode.INVALID_KEY_MATERIAL;
import static dev.ouroboros.model.problem.ErrorCode.KEY_MISSING;
import static dev.ouroboros.model.problem.ErrorCode.LOCKED;
import static dev.ouroboros.model.problem.ErrorCode.MISSING_PERMISSION;
import static dev.ouroboros.model.problem.ErrorCode.MISSING_TOOL;
import static dev.ouroboros.model.problem.ErrorCode.NOT_A_DATABASE;
import static dev.ouroboros.model.problem.ErrorCode.NOT_FOUND;
import static dev.ouroboros.model.problem.ErrorCode.PORT_IN_USE;
import static dev.ouroboros.model.problem.ErrorCode.PROCESS_FAILED;
import static dev.ouroboros.model.problem.ErrorCode.TIMEOUT;
import static dev.ouroboros.model.problem.ErrorCode.UNREADABLE_OBJECT;
import static dev.ouroboros.model.problem.ErrorCode.UNSUPPORTED_VERSION;
import static dev.ouroboros.model.problem.ErrorCode.UNUSABLE_IMAGE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.cli.Blunder.Said;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.images.binary.Binary;
import dev.ouroboros.node.lock.ExclusiveLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The mistakes of {@link ErrorCatalogueTest}. */
final class Mistakes {
    private Mistakes() {}

    static Stream<Mistake> all() {
        return Stream.of(usage(), documents(), keys(), directories(), snapshots(), machine(), peers())
                .flatMap(List::stream);
    }

    private static List<Mistake> usage() {
        return List.of(
                new Mistake(
                        BAD_USAGE,
                        "Unknown option: '--nope'",
                        "'ouro render --help' shows what it takes",
                        blunder -> blunder.ouro("render", "--asset-dir", "x", "--nope")),
                new Mistake(
                        BAD_USAGE,
                        "Unmatched argument at index 0: 'rendr'",
                        "did you mean render or ",
                        blunder -> blunder.ouro("rendr")),
                new Mistake(
                        BAD_USAGE,
                        "Missing required option: '--asset-dir=DIR'",
                        "'ouro start --help'",
                        blunder -> blunder.ouro("start")),
                new Mistake(
                        BAD_USAGE,
                        "cannot be given with --wait",
                        "leave --watch out",
                        blunder -> blunder.ouro("status", "--watch", "--wait")),
                new Mistake(
                        BAD_USAGE,
                        "nothing says what to recover from",
                        "see ouro recover --help",
                        blunder -> blunder.ouro("recover", "--recovery-dir", blunder.path("new"))),
                new Mistake(
                        INVALID_FLAG,
                        "is 9999",
                        "leave --revision out for the newest",
                        blunder -> blunder.ouro("snapshot", "extract", blunder.snapshot(), "--revision", "9999")),
                new Mistake(
                        INVALID_FLAG,
                        "is no https URL",
                        "etcdctl snapshot save",
                        blunder -> blunder.ouro(
                                "snapshot", "save", blunder.path("new.db"), "--etcd-servers", "http://127.0.0.1:2379")),
                new Mistake(
                        INVALID_FLAG,
                        "has no --nope",
                        "spec.allowUnknownFlags",
                        blunder -> render(blunder, "  extraArgs: {kubeApiserver: {nope: x}}")),
                new Mistake(
                        NOT_FOUND,
                        "does not exist",
                        "'ouro snapshot save FILE' makes one",
                        blunder -> blunder.ouro("snapshot", "inspect", blunder.path("missing.db"))),
                new Mistake(
                        NOT_FOUND,
                        "no such file",
                        "give one with --kubeconfig",
                        blunder -> blunder.ouro("probe", "--kubeconfig", blunder.path("missing"))));
    }

    private static Said render(Blunder blunder, String... lines) throws IOException {
        String[] all =
                Stream.concat(Blunder.goodDocument().stream(), Stream.of(lines)).toArray(String[]::new);
        return blunder.ouro("render", "--asset-dir", blunder.path("assets"), "--config", blunder.document(all));
    }

    private static List<Mistake> documents() {
        return List.of(
                new Mistake(
                        INVALID_CONFIG,
                        "not YAML: ",
                        "mend that line",
                        blunder -> blunder.ouro(
                                "render",
                                "--asset-dir",
                                blunder.path("assets"),
                                "--config",
                                blunder.document("spec: ["))),
                new Mistake(
                        INVALID_CONFIG,
                        "unknown field",
                        "did you mean extraArgs?",
                        blunder -> render(blunder, "  extraArg: {}")),
                new Mistake(
                        INVALID_CONFIG,
                        "is not in contexts",
                        "kubectl config use-context",
                        blunder -> blunder.ouro(
                                "probe", "--kubeconfig", blunder.file("kubeconfig", "current-context: nowhere"))),
                new Mistake(
                        INVALID_CONFIG,
                        "is None",
                        "--encryption-provider-config",
                        blunder -> blunder.ouro(
                                "snapshot",
                                "inspect",
                                blunder.snapshot(),
                                "--encryption-config",
                                blunder.file("keys.yaml", "kind: None"))),
                new Mistake(
                        UNSUPPORTED_VERSION,
                        "no data for v1.2.0",
                        "use the ouro of a later release",
                        blunder -> blunder.ouro(
                                "render",
                                "--asset-dir",
                                blunder.path("assets"),
                                "--config",
                                blunder.document(),
                                "--kubernetes-version",
                                "v1.2.0")),
                new Mistake(
                        DISK,
                        "cannot be read: Is a directory",
                        "see what is in its place (ls -ld)",
                        blunder -> blunder.ouro(
                                "render", "--asset-dir", blunder.path("assets"), "--config", blunder.path("."))));
    }

    private static List<Mistake> keys() {
        return List.of(
                new Mistake(
                        INVALID_KEY_MATERIAL,
                        "holds no certificate",
                        "render makes an authority",
                        blunder -> blunder.ouro(
                                "render",
                                "--asset-dir",
                                blunder.path("assets"),
                                "--config",
                                blunder.document(Blunder.goodDocument().toArray(String[]::new)),
                                "--ca-certificate-path",
                                blunder.file("ca.crt", "no PEM"),
                                "--ca-private-key-path",
                                blunder.file("ca.key", "no PEM"))),
                new Mistake(
                        INVALID_KEY_MATERIAL,
                        "certificate-authority",
                        "put the right material there",
                        blunder -> blunder.ouro("probe", "--kubeconfig", blunder.kubeconfig("bm8gUEVN", 1))),
                new Mistake(
                        BAD_USAGE,
                        "--workload: kubelet is no component that is recovered",
                        "--workload kube-scheduler=kube-system/kube-scheduler",
                        blunder -> blunder.ouro(
                                "recover",
                                "--recovery-dir",
                                blunder.path("recovered"),
                                "--snapshot",
                                blunder.path("none.db"),
                                "--workload",
                                "kubelet=kube-system/kubelet")),
                new Mistake(
                        KEY_MISSING,
                        "this key was not given",
                        "--encryption-config FILE",
                        blunder -> blunder.ouro("snapshot", "extract", blunder.snapshot())));
    }

    private static List<Mistake> directories() {
        return List.of(
                new Mistake(
                        INVALID_ASSET_DIRECTORY,
                        "is missing or empty",
                        "or give the right --asset-dir",
                        blunder -> blunder.ouro("start", "--asset-dir", blunder.path("nothing"), "--dry-run")),
                new Mistake(EDITED_FILE, "was edited since", "--overwrite-edited", blunder -> {
                    assertThat(render(blunder).exitCode()).isZero();
                    blunder.file("assets/manifests/kube-apiserver.yaml", "# mine");
                    return render(blunder, "  extraArgs: {kubeApiserver: {v: '4'}}");
                }),
                new Mistake(
                        FOREIGN_FILE,
                        "is there, and no etcd snapshot",
                        "save to another FILE, or move this one away",
                        blunder -> blunder.ouro(
                                "snapshot",
                                "save",
                                blunder.file("notes.txt", "mine"),
                                "--etcd-servers",
                                "https://127.0.0.1:1")));
    }

    private static List<Mistake> snapshots() {
        return List.of(
                new Mistake(
                        NOT_A_DATABASE,
                        "is a text file",
                        "'ouro snapshot save'",
                        blunder -> blunder.ouro("snapshot", "inspect", blunder.file("x.db", "{".repeat(9000)))),
                new Mistake(
                        NOT_A_DATABASE,
                        "is empty",
                        "take it again",
                        blunder -> blunder.ouro("snapshot", "inspect", blunder.file("x.db", ""))),
                new Mistake(
                        DAMAGED_FILE,
                        "page 30",
                        "use another copy of the file",
                        blunder -> blunder.ouro("snapshot", "inspect", blunder.snapshotWith(30 * 4096 + 10, 0x7f))),
                new Mistake(
                        UNUSABLE_IMAGE,
                        "app.tar: is no tar archive",
                        "docker save -o FILE IMAGE",
                        blunder -> blunder.ouro(
                                "images", "load", blunder.file("app.tar", "{".repeat(9000)), "--address", "/c.sock")),
                new Mistake(
                        UNREADABLE_OBJECT,
                        "/registry/",
                        "etcdctl get on a restored etcd shows it",
                        blunder -> blunder.ouro(
                                "snapshot", "extract", blunder.snapshotWithATornObject(), "-r", "configmaps")));
    }

    private static List<Mistake> machine() {
        return List.of(
                new Mistake(
                        MISSING_PERMISSION,
                        "need root",
                        "sudo ouro",
                        blunder -> blunder.ouroAlone(List.of("unshare", "--user"), "nodes")),
                new Mistake(MISSING_TOOL, "cannot be started", "install it", Mistakes::withoutPrograms),
                new Mistake(PROCESS_FAILED, "exit code 1", "run it by hand to see what it says", blunder -> {
                    for (Binary binary : Binary.values()) {
                        blunder.failingProgram("bin/" + binary.fileName());
                    }
                    return blunder.ouro("images", "build", "--binaries", blunder.path("bin"));
                }),
                new Mistake(
                        PORT_IN_USE,
                        "cannot be listened on",
                        "--health-port",
                        blunder -> blunder.ouroAlone(
                                List.of(),
                                "keeper",
                                "--node-name=node-1",
                                "--node-address=192.0.2.10",
                                "--service-cluster-ip=10.3.0.1",
                                "--kubeconfig=" + blunder.path("kubeconfig"),
                                "--state-directory=" + blunder.path("state"),
                                "--health-port=" + blunder.takenPort())),
                new Mistake(LOCKED, "another process does this now", "wait until it has ended", blunder -> {
                    Path run = Files.createDirectories(blunder.path("root/run"));
                    ExclusiveLock lock = ExclusiveLock.acquire(run.resolve("ouroboros-host.lock"), "another");
                    blunder.closeLater(lock::close);
                    return blunder.ouro("host", "reset", "--yes", "--root", blunder.path("root"));
                }));
    }

    private static Said withoutPrograms(Blunder blunder) throws Exception {
        return blunder.ouroAlone(
                List.of("env", "PATH=" + blunder.path("none"), "XDG_CACHE_HOME=" + blunder.path("cache")),
                "images",
                "build",
                "--binaries",
                "debian");
    }

    private static List<Mistake> peers() {
        return List.of(
                new Mistake(
                        API_UNAVAILABLE,
                        "connection refused",
                        "kubeconfig works without an API server",
                        blunder -> blunder.ouro("change", "pause", "--kubeconfig", nobody(blunder))),
                new Mistake(API_REFUSED, "you may not", "kubectl auth can-i --list", blunder -> {
                    TestAuthority authority = new TestAuthority();
                    int port = blunder.server(authority, 403, Map.of());
                    return blunder.ouro("change", "pause", "--kubeconfig", blunder.kubeconfig(authority, port));
                }),
                new Mistake(CHANGE_REFUSED, "no change is under way", "kubectl rollout undo", Mistakes::abort),
                new Mistake(
                        TIMEOUT,
                        "not converged after 1 s",
                        "ouro explain",
                        blunder -> blunder.ouro("status", "--wait=1s", "--kubeconfig", nobody(blunder))),
                new Mistake(COMPONENT_FAILED, "", "see 'ouro status'", blunder -> blunder.ouro("explain")),
                new Mistake(
                        ETCD_UNAVAILABLE,
                        "cannot be reached",
                        "see whether it runs, and the address",
                        blunder -> blunder.ouro(
                                "snapshot",
                                "save",
                                blunder.path("new.db"),
                                "--etcd-servers",
                                "https://127.0.0.1:" + Blunder.deadPort())),
                new Mistake(
                        ETCD_REFUSED,
                        "is not trusted",
                        "--etcd-ca-path",
                        blunder -> blunder.ouro(
                                "snapshot",
                                "save",
                                blunder.path("new.db"),
                                "--etcd-servers",
                                "https://127.0.0.1:" + blunder.server(new TestAuthority(), 404, Map.of()))));
    }

    private static Path nobody(Blunder blunder) throws Exception {
        return blunder.kubeconfig(new TestAuthority(), Blunder.deadPort());
    }

    private static Said abort(Blunder blunder) throws Exception {
        TestAuthority authority = new TestAuthority();
        String daemonSet = """
                {"kind": "DaemonSet", "apiVersion": "apps/v1", "metadata": {"name": "kube-apiserver", "generation": 1},
                 "spec": {"template": {}}, "status": {"observedGeneration": 1, "desiredNumberScheduled": 1,
                 "updatedNumberScheduled": 1, "numberReady": 1, "numberAvailable": 1, "currentNumberScheduled": 1}}""";
        String nothing = "{\"kind\": \"List\", \"apiVersion\": \"v1\", \"items\": []}";
        int port = blunder.server(
                authority,
                404,
                Map.of(
                        "/apis/apps/v1/namespaces/kube-system/daemonsets/kube-apiserver",
                        daemonSet,
                        "/api/v1/namespaces/kube-system/pods",
                        nothing,
                        "/apis/apps/v1/namespaces/kube-system/controllerrevisions",
                        nothing));
        return blunder.ouro("change", "abort", "--kubeconfig", blunder.kubeconfig(authority, port));
    }
}
