package dev.ouroboros.e2e;

import static dev.ouroboros.e2e.ControlPlane.API_SERVER;
import static dev.ouroboros.e2e.ControlPlane.PRINCIPAL_PORT;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ouroboros.e2e.Node.Running;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/** Changes of the template of a sandbox's API server, and what the keeper says of them. */
final class ApiServerChange {
    static final String SYSTEM = "--namespace=kube-system";
    static final String DAEMON_SET = "daemonset/kube-apiserver";
    static final String IMAGE = "localhost/ouroboros/kube-apiserver:";

    private static final String PATH = "/apis/apps/v1/namespaces/kube-system/daemonsets/kube-apiserver";
    private static final Set<String> SERVES_ALONE = Set.of("Soaking", "Done");
    /** In the order in which a change that succeeds comes to them. */
    static final List<String> STEPS = List.of("Waiting", "Proving", "Switching", "Replacing", "Soaking");

    /** In the document of a cluster with short times. */
    static final String FLAGS = "  extraArgs:\n    kubeApiserver:\n      request-timeout: 10s\n";

    private final OuroProgram ouro;
    private final ControlPlane plane;

    ApiServerChange(OuroProgram ouro, ControlPlane plane) {
        this.ouro = ouro;
        this.plane = plane;
    }

    interface Change {
        void make() throws Exception;
    }

    /**
     * Makes a cluster whose keeper takes a change that is proven for last-good soon, and gives one that is not up soon. An API server of 1.20 that
     * ends waits for its watches as long as a request may take, a minute by default (genericapiserver's ShutdownTimeout): here ten seconds,
     * each time that one is replaced.
     */
    static ControlPlane clusterWithShortTimes(OuroProgram ouro) throws Exception {
        ouro.down();
        ouro.up("--no-start");
        Path document = Path.of("/var/lib/ouroboros/sandboxes", ouro.sandbox(), "cluster.yaml");
        String keeper = "  keeper:\n    enabled: true\n";
        String made = Files.readString(document);
        assertThat(made).contains(keeper);
        Files.writeString(
                document,
                made.replace(keeper, keeper + "    extraArgs: {soak: 8s, candidate-deadline: 60s}\n" + FLAGS));
        ouro.up();
        ControlPlane plane = new ControlPlane(ouro);
        plane.awaitRest();
        return plane;
    }

    /** Makes a change, and waits until the keeper speaks of it and no longer of the one before. */
    void taken(Change change) throws Exception {
        String before = annotation("revision");
        change.make();
        Await.until("the keeper takes it up", () -> !annotation("revision").equals(before));
    }

    /** Makes a change that must be carried out to its end. */
    void changed(Change change) throws Exception {
        String before = principal();
        taken(change);
        Await.until("the new principal serves alone", this::story, () -> SERVES_ALONE.contains(annotation("state")));
        assertThat(principal()).isNotEqualTo(before);
        awaitState("Done");
    }

    /** Makes a change that must fail with the principal untouched and no request lost, takes it back, and returns why it failed. */
    String failing(Change change) throws Exception {
        String why = failed(change);
        takeBack();
        return why;
    }

    /** Makes a change that must fail with the principal untouched and no request lost, and returns why it failed. */
    String failed(Change change) throws Exception {
        String before = principal();
        String why;
        try (Availability availability = Availability.of(ouro.kubeconfig())) {
            taken(change);
            awaitState("Failed");
            why = annotation("message");
            assertThat(principal()).isEqualTo(before);
            assertThat(ouro.kubectl("get", "events", SYSTEM)).contains("ChangeFailed");
            availability.requireNoFailedRequest();
        }
        return why;
    }

    void takeBack() throws Exception {
        ouro.kubectl("rollout", "undo", DAEMON_SET, SYSTEM);
        awaitTakenBack();
    }

    void awaitTakenBack() throws Exception {
        awaitState("Done");
        Await.until("the candidate is gone", () -> plane.node().hasNoUnderstudies());
    }

    void awaitState(String state) throws Exception {
        Await.until(
                "the change is " + state, this::story, () -> annotation("state").equals(state));
    }

    /** Waits for a step, or a later one: the quick ones may be over before anybody looks. Returns the one that was seen. */
    String awaitStep(String step) throws Exception {
        int from = STEPS.indexOf(step);
        Await.until("the change has come to " + step, this::story, () -> STEPS.indexOf(annotation("state")) >= from);
        String seen = annotation("state");
        System.err.println("aimed at " + step + ", hit " + seen);
        return seen;
    }

    /** Cuts the node's power at a step of a change, and waits until all came back by itself and the change is carried out. */
    void powerCutAt(String step, Change change) throws Exception {
        taken(change);
        awaitStep(step);
        JsonNode report = ouro.json("reboot", ouro.nodeName());
        Instant cut = Instant.parse(report.path("powerCutAt").asText());
        plane.lookAgain();
        Await.until(
                "all components run, started after the power cut",
                () -> String.valueOf(plane.missingSince(cut)),
                () -> plane.missingSince(cut).isEmpty());
        awaitState("Done");
        // Not that all rests: a keeper's pod that ended n times gets its work back from the static copy after 2^n times
        // 5 s.
        Await.until("the candidate is gone", () -> plane.node().hasNoUnderstudies());
    }

    private String story() throws Exception {
        return annotation("state") + ": " + annotation("message");
    }

    static String add(String flag) {
        return "{\"op\":\"add\",\"path\":\"/spec/template/spec/containers/0/command/-\",\"value\":\"" + flag + "\"}";
    }

    void patch(String... operations) {
        plane.patchDaemonSet(API_SERVER, String.join(",", operations));
    }

    void setImage(String tag) {
        ouro.kubectl("set", "image", DAEMON_SET, SYSTEM, API_SERVER + "=" + IMAGE + tag);
    }

    /** What the keeper says on the DaemonSet; empty also while the API does not answer. */
    String annotation(String name) throws InterruptedException {
        return plane.api()
                .get(PATH)
                .map(set -> set.at("/metadata/annotations/ouroboros.dev~1change-" + name)
                        .asText())
                .orElse("");
    }

    String principal() throws InterruptedException {
        Set<String> pods = plane.podIds(API_SERVER);
        assertThat(pods).as("pods of the API server").hasSize(1);
        return pods.iterator().next();
    }

    /** The command line of the server that has the principal's port. */
    List<String> served() throws IOException {
        List<Running> servers = plane.node().apiServers(PRINCIPAL_PORT);
        assertThat(servers).hasSize(1);
        return servers.getFirst().words();
    }
}
