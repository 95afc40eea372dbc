package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A cluster that {@code up} made has a keeper that works, a copy of it that waits, and what a power cut would need. */
abstract class KeeperCases {
    private static final String USER = "system:ouroboros:keeper";
    private static final int WAITING_KIBIBYTES = 4 * 1024;
    /** What each of our Java images has, the Java runtime, the programs it runs, dependencies, our jars, the archive of loaded classes. */
    private static final int LAYERS = 6;

    private final OuroProgram ouro;

    /** @param ouro of a cluster that {@code up} has just made */
    KeeperCases(OuroProgram ouro) {
        this.ouro = ouro;
    }

    @Test
    void upEndsWithACheckpointOfEveryPartOfTheControlPlane() throws IOException {
        assertThat(ouro.kubectlJson("get", "daemonset", "ouroboros-keeper", "-n", "kube-system")
                        .path("status")
                        .path("numberReady")
                        .asInt())
                .isEqualTo(1);
        requireCheckpoints(ouro);
    }

    /** Of what {@code up} promises when it ends. */
    static void requireCheckpoints(OuroProgram ouro) throws IOException {
        for (String component :
                List.of("kube-apiserver", "kube-controller-manager", "kube-scheduler", "ouroboros-keeper")) {
            assertThat(ouro.nodeFile(Node.CHECKPOINTS + component + "/slots.json"))
                    .as(component)
                    .isRegularFile();
        }
        assertThat(ouro.nodeFile("/etc/kubernetes/manifests/ouroboros-keeper.json"))
                .isRegularFile();
    }

    @Test
    void oneKeeperWorksAndItsCopyWaitsWithoutAJvm() throws Exception {
        Node node = Node.of(ouro);
        // The kubelet needs a moment for the static copy's manifest.
        Await.until("one copy waits", () -> processes(node, "flock").size() == 1);
        List<Path> working = processes(node, "java");
        assertThat(working).hasSize(1);
        long memory = resident(working.getFirst());
        long waiting = resident(processes(node, "flock").getFirst());
        System.err.println("keeper: " + memory + " KiB; waiting copy: " + waiting + " KiB");

        assertThat(waiting).isPositive().isLessThan(WAITING_KIBIBYTES);
        // How much is bench/run keeper's to say.
        assertThat(memory).isPositive();
        assertThat(Files.readString(working.getFirst().resolve("maps"))).contains("/opt/keeper/keeper.jsa");
    }

    /** As {@code kubectl auth can-i} answers. */
    @Test
    void mayDoWhatItNeedsAndNoMore() {
        List<String> rights = List.of(
                "yes list pods --all-namespaces",
                "yes patch nodes --all-namespaces",
                "yes get namespace/kube-system --all-namespaces",
                "no get namespace/default --all-namespaces",
                "yes get secrets --namespace=kube-system",
                "yes list secrets --namespace=kube-system",
                "no watch secrets --namespace=kube-system",
                "yes get configmaps --namespace=kube-system",
                "no list configmaps --namespace=kube-system",
                "yes watch daemonsets.apps --namespace=kube-system",
                "no list statefulsets.apps --namespace=kube-system",
                "yes list controllerrevisions.apps --namespace=kube-system",
                "yes delete pods --namespace=kube-system",
                "no create pods --namespace=kube-system",
                "no update secrets --namespace=kube-system",
                "no get secrets --all-namespaces",
                "no get secrets --namespace=default",
                "no get configmaps --namespace=default",
                "no delete pods --namespace=default",
                "no delete nodes --all-namespaces",
                "yes patch endpoints/kubernetes --namespace=default",
                "no patch endpoints/other --namespace=default",
                "yes patch endpointslices.discovery.k8s.io/kubernetes --namespace=default",
                "yes update leases.coordination.k8s.io/kube-scheduler --namespace=kube-system",
                "no patch leases.coordination.k8s.io/kube-scheduler --namespace=kube-system",
                "no update leases.coordination.k8s.io/other --namespace=kube-system",
                "yes update leases.coordination.k8s.io/ouroboros-change --namespace=kube-system",
                "yes patch daemonsets.apps/kube-apiserver --namespace=kube-system",
                "no patch daemonsets.apps/ouroboros-keeper --namespace=kube-system",
                "no patch deployments.apps/kube-scheduler --namespace=kube-system",
                "no create clusterrolebindings.rbac.authorization.k8s.io --all-namespaces",
                "no impersonate users --all-namespaces",
                "no create pods/exec --namespace=kube-system");

        // All in one go: each entry into the node takes a second.
        String script = rights.stream()
                .map(right -> right.substring(right.indexOf(' ') + 1))
                .map(asked -> "echo $(kubectl auth can-i " + asked + " --as=" + USER + ") " + asked)
                .collect(Collectors.joining("\n"));
        assertThat(ouro.inNode("sh", "-c", script).lines()).containsExactlyElementsOf(rights);
    }

    @Test
    void itsImageHasALayerForEachPaceOfChange() throws IOException {
        JsonNode images = ouro.jsonPlain("images", "list", "-o", "json");
        JsonNode keeper = Stream.iterate(0, index -> index < images.size(), index -> index + 1)
                .map(images::path)
                .filter(image -> image.path("name").asText().equals("keeper"))
                .reduce((earlier, later) -> later)
                .orElseThrow();
        String manifest = new LocalProcesses()
                .run(Command.of("tar", "-xOf", keeper.path("archive").asText(), "manifest.json"))
                .orThrow();
        Matcher layers = Pattern.compile("[0-9a-f]{64}\\.tar\\.gz").matcher(manifest);

        assertThat(layers.results().count()).isEqualTo(LAYERS);
    }

    /** The keeper's processes of this name, by their directories in procfs. */
    private static List<Path> processes(Node node, String name) throws IOException {
        return node.processes(name).stream()
                .filter(process -> process.has("/var/lib/ouroboros/keeper/lock")
                        || process.words().stream().anyMatch(word -> word.contains("/opt/keeper/")))
                .map(Node.Running::directory)
                .toList();
    }

    private static long resident(Path process) {
        return Node.read(process.resolve("status"))
                .lines()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElse(0);
    }
}
