package dev.ouroboros.cli;

import static dev.ouroboros.model.problem.ErrorCode.API_UNAVAILABLE;
import static dev.ouroboros.model.problem.ErrorCode.BAD_USAGE;
import static dev.ouroboros.model.problem.ErrorCode.CHANGE_REFUSED;
import static dev.ouroboros.model.problem.ErrorCode.COMPONENT_FAILED;
import static dev.ouroboros.model.problem.ErrorCode.DISK;
import static dev.ouroboros.model.problem.ErrorCode.INVALID_CONFIG;
import static dev.ouroboros.model.problem.ErrorCode.NOT_FOUND;

import dev.ouroboros.cli.Blunder.Said;
import dev.ouroboros.endpoint.testing.TestAuthority;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What is told of a machine as it is, of a cluster that answers, and of what an earlier command left. The machine is ours as far as these
 * see it: root is whoever runs the test, and {@code /var/lib} is a directory of the test.
 */
final class MachineMistakes {
    private static final String LIST = "{\"kind\": \"List\", \"apiVersion\": \"v1\", \"items\": []}";

    private MachineMistakes() {}

    static Stream<Mistake> all() {
        return Stream.of(sandboxes(), machine(), clusters(), journals()).flatMap(List::stream);
    }

    private static List<Mistake> sandboxes() {
        return List.of(
                new Mistake(
                        NOT_FOUND,
                        "node one: does not run",
                        "start it: ouro up --name one",
                        blunder -> besideSandboxOne(blunder, "exec", "one", "--", "true")),
                new Mistake(
                        NOT_FOUND,
                        "node one: does not run, and could not get the images",
                        "boot it: ouro node on --name one one",
                        blunder ->
                                besideSandboxOne(blunder, "images", "load", "--name", "one", "--bundle", "bundle.tar")),
                new Mistake(
                        NOT_FOUND,
                        "sandbox one: has no kubeconfig: it is half-made",
                        "run 'ouro up --name one', which goes on",
                        blunder -> besideSandboxOne(blunder, "kubeconfig", "--name", "one")),
                new Mistake(
                        NOT_FOUND,
                        "node one: does not run",
                        "ouro up --name one",
                        blunder -> besideSandboxOne(blunder, "upgrade", "rollback", "--name", "one")),
                new Mistake(
                        NOT_FOUND,
                        "node one: does not run",
                        "run 'ouro up --name one'",
                        blunder -> besideSandboxOne(
                                blunder,
                                "snapshot",
                                "save",
                                blunder.path("new.db").toString(),
                                "--name",
                                "one")));
    }

    /** On a machine that has a sandbox whose node has no power. */
    private static Said besideSandboxOne(Blunder blunder, String... arguments) throws Exception {
        blunder.file("var/lib/ouroboros/sandboxes/one/sandbox.json", """
                {"subnet": 1, "created": "2026-11-21T00:00:00Z", "kubernetesVersion": "1.36.2", "complete": true}
                """);
        return onMachine(blunder, ":", arguments);
    }

    /** @param change what a shell does to the machine before; the process is then the one of the command */
    static Said onMachine(Blunder blunder, String change, String... arguments) throws Exception {
        Path state = Files.createDirectories(blunder.path("var/lib"));
        String script = "mount --bind '" + state + "' /var/lib && " + change + " && exec \"$0\" \"$@\"";
        return blunder.ouroAlone(
                List.of("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script), arguments);
    }

    private static List<Mistake> machine() {
        return List.of(
                new Mistake(
                        BAD_USAGE,
                        "--node-name: this machine has no host name",
                        "say the Node's name with --node-name",
                        blunder -> onMachine(
                                blunder,
                                "mount --bind /dev/null /proc/sys/kernel/hostname",
                                "start",
                                "--dry-run",
                                "--asset-dir",
                                blunder.path("assets").toString())),
                new Mistake(
                        DISK,
                        "/proc/self/cmdline: cannot be read: Input/output error",
                        "see what the kernel says of the disk (dmesg)",
                        blunder -> onMachine(
                                blunder, "mount --bind /proc/$$/mem /proc/$$/cmdline", "up", "--name", "one")));
    }

    private static List<Mistake> clusters() {
        return List.of(
                new Mistake(
                        CHANGE_REFUSED,
                        "--etcd-snapshot: the API is served at 127.0.0.1:",
                        "to restore all the same, add --discard-etcd",
                        MachineMistakes::restoreOverALiveCluster),
                new Mistake(
                        CHANGE_REFUSED,
                        "is not known (",
                        "if the cluster is gone, add --discard-etcd",
                        MachineMistakes::restoreOverAClusterThatIsNotTrusted),
                new Mistake(
                        INVALID_CONFIG,
                        "etcd.yaml:1: cannot be understood: ",
                        "or name the manifest of etcd's static pod with --etcd-manifest FILE",
                        blunder -> restoreOf(blunder, "metadata: [")),
                new Mistake(
                        INVALID_CONFIG,
                        "etcd.yaml: is not a Pod",
                        "name the manifest of etcd's static pod with --etcd-manifest FILE",
                        blunder -> restoreOf(blunder, "kind: Deployment")),
                new Mistake(
                        API_UNAVAILABLE,
                        "DaemonSet kube-system/kube-apiserver: was changed by others 20 times meanwhile",
                        "run the same command again",
                        MachineMistakes::pauseWhatNeverRests),
                new Mistake(
                        COMPONENT_FAILED,
                        "change: kube-system/coredns: has timed out progressing",
                        "ouro explain",
                        MachineMistakes::waitForWhatIsStuck));
    }

    private static Said restoreOverALiveCluster(Blunder blunder) throws Exception {
        TestAuthority authority = new TestAuthority();
        int port = blunder.server(
                authority,
                404,
                Map.of("/api/v1/namespaces/kube-system", "{\"kind\": \"Namespace\", \"apiVersion\": \"v1\"}"));
        return restore(blunder, blunder.kubeconfig(authority, port), blunder.path("etcd.yaml"));
    }

    private static Said restoreOverAClusterThatIsNotTrusted(Blunder blunder) throws Exception {
        int port = blunder.server(
                new TestAuthority(),
                404,
                Map.of("/api/v1/namespaces/kube-system", "{\"kind\": \"Namespace\", \"apiVersion\": \"v1\"}"));
        return restore(blunder, blunder.kubeconfig(new TestAuthority(), port), blunder.path("etcd.yaml"));
    }

    private static Said restoreOf(Blunder blunder, String manifest) throws Exception {
        Path nobody = blunder.kubeconfig(new TestAuthority(), Blunder.deadPort());
        return restore(blunder, nobody, blunder.file("etcd.yaml", manifest));
    }

    private static Said restore(Blunder blunder, Path kubeconfig, Path manifest) throws Exception {
        OptionMistakes.rendered(blunder);
        Files.copy(kubeconfig, blunder.path("assets/auth/kubeconfig"), StandardCopyOption.REPLACE_EXISTING);
        return onMachine(
                blunder,
                ":",
                "start",
                "--asset-dir",
                blunder.path("assets").toString(),
                "--pod-manifest-path",
                blunder.path("manifests").toString(),
                "--node-address",
                "127.0.0.1",
                "--allow-outage",
                "--etcd-snapshot",
                blunder.snapshot().toString(),
                "--etcd-manifest",
                manifest.toString());
    }

    private static Said pauseWhatNeverRests(Blunder blunder) throws Exception {
        String daemonSet = """
                {"kind": "DaemonSet", "apiVersion": "apps/v1", "spec": {"template": {}},
                 "metadata": {"name": "kube-apiserver", "namespace": "kube-system", "resourceVersion": "1"}}""";
        TestAuthority authority = new TestAuthority();
        int port = blunder.server(
                authority, 409, Map.of("/apis/apps/v1/namespaces/kube-system/daemonsets/kube-apiserver", daemonSet));
        return blunder.ouro("change", "pause", "--kubeconfig", blunder.kubeconfig(authority, port));
    }

    private static Said waitForWhatIsStuck(Blunder blunder) throws Exception {
        String deployments = """
                {"kind": "DeploymentList", "apiVersion": "apps/v1", "items": [
                  {"metadata": {"namespace": "kube-system", "name": "coredns", "generation": 2},
                   "spec": {"replicas": 2, "template": {}},
                   "status": {"observedGeneration": 2, "replicas": 3, "updatedReplicas": 1, "readyReplicas": 2,
                    "conditions": [{"type": "Progressing", "status": "False", "message": "has timed out progressing"}]}}]}""";
        TestAuthority authority = new TestAuthority();
        int port = blunder.server(
                authority,
                404,
                Map.of(
                        "/version",
                        "{\"gitVersion\": \"v1.36.2\"}",
                        "/api/v1/nodes",
                        LIST,
                        "/api/v1/namespaces/kube-system/pods",
                        LIST,
                        "/apis/apps/v1/namespaces/kube-system/daemonsets",
                        LIST,
                        "/apis/apps/v1/daemonsets",
                        LIST,
                        "/apis/apps/v1/deployments",
                        LIST,
                        "/apis/apps/v1/namespaces/kube-system/deployments",
                        deployments));
        return blunder.ouro("status", "--wait=1m", "--kubeconfig", blunder.kubeconfig(authority, port));
    }

    private static List<Mistake> journals() {
        return List.of(new Mistake(
                NOT_FOUND,
                "snapshot: etcd was not saved yet when the upgrade was interrupted",
                "' goes on",
                MachineMistakes::rollbackOfWhatSavedNothing));
    }

    private static Said rollbackOfWhatSavedNothing(Blunder blunder) throws Exception {
        blunder.file("assets/.ouroboros/upgrade/a/0/manifests/none.yaml", "");
        blunder.file("assets/.ouroboros/upgrade.json", """
                {"format": 1, "id": "a", "direction": "forward", "from": "1.35.0", "to": "1.36.2",
                 "begun": "2026-11-21T00:00:00Z", "preferences": ["live"], "chosen": false, "done": []}
                """);
        return blunder.ouro(
                "upgrade",
                "rollback",
                "--asset-dir",
                blunder.path("assets"),
                "--kubeconfig",
                blunder.kubeconfig(new TestAuthority(), Blunder.deadPort()));
    }
}
