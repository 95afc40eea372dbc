package dev.ouroboros.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** The control plane of a sandbox's one node, by what its API, its keeper and its processes say. */
final class ControlPlane implements AutoCloseable {
    static final int PRINCIPAL_PORT = 6443;
    static final int UNDERSTUDY_PORT = 26443;
    static final String API_SERVER = "kube-apiserver";
    static final String CONTROLLER_MANAGER = "kube-controller-manager";
    static final String SCHEDULER = "kube-scheduler";
    static final String PROXY = "kube-proxy";
    static final String KEEPER = "ouroboros-keeper";

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String PODS = "/api/v1/namespaces/kube-system/pods";
    /** All but etcd: while it is away nobody answers, and its mirror pod is old or missing for half a minute after a boot. */
    private static final List<String> COMPONENTS = List.of(API_SERVER, CONTROLLER_MANAGER, SCHEDULER, PROXY, KEEPER);

    private static final Set<String> RESTING = Set.of("SERVING", "STANDING_BY");

    private final OuroProgram ouro;
    private final AdminApi api;
    private Node node;

    ControlPlane(OuroProgram ouro) throws IOException {
        this.ouro = ouro;
        this.api = new AdminApi(ouro.kubeconfig());
        this.node = Node.of(ouro);
    }

    /** An image that each of our sandboxes has, with a program that can wait. */
    static String keeperImage(OuroProgram ouro) {
        return ouro.kubectl(
                        "get",
                        "daemonset",
                        KEEPER,
                        "-n",
                        "kube-system",
                        "-o",
                        "jsonpath={.spec.template.spec.containers[0].image}")
                .strip();
    }

    AdminApi api() {
        return api;
    }

    Node node() {
        return node;
    }

    /** After a boot: the machine is another one as far as its processes go. */
    void lookAgain() throws IOException {
        node = Node.of(ouro);
    }

    /** Pods of kube-system that are no mirrors of static ones; empty while the API does not answer. */
    List<JsonNode> pods(String component) throws InterruptedException {
        return api.get(PODS).stream()
                .flatMap(pods -> StreamSupport.stream(pods.path("items").spliterator(), false))
                .filter(pod -> isOf(pod, component))
                .toList();
    }

    Set<String> podIds(String component) throws InterruptedException {
        Set<String> ids = new TreeSet<>();
        pods(component).forEach(pod -> ids.add(pod.path("metadata").path("uid").asText()));
        return ids;
    }

    private static boolean isOf(JsonNode pod, String component) {
        String name = pod.path("metadata").path("name").asText();
        String owner = pod.path("metadata")
                .path("ownerReferences")
                .path(0)
                .path("kind")
                .asText();
        return name.startsWith(component + "-") && (component.equals("etcd") || !owner.equals("Node"));
    }

    static boolean isReady(JsonNode pod) {
        JsonNode containers = pod.path("status").path("containerStatuses");
        return !containers.isEmpty()
                && pod.path("metadata").path("deletionTimestamp").isMissingNode()
                && StreamSupport.stream(containers.spliterator(), false)
                        .allMatch(container -> container.path("ready").asBoolean());
    }

    /** Components of which no pod is ready that was started after this moment. The API's view is old for a while after a boot. */
    List<String> missingSince(Instant moment) throws InterruptedException {
        List<String> missing = new ArrayList<>();
        for (String component : COMPONENTS) {
            boolean isThere = pods(component).stream()
                    .anyMatch(pod -> isReady(pod) && startedAfter(moment.truncatedTo(ChronoUnit.SECONDS), pod));
            if (!isThere) {
                missing.add(component);
            }
        }
        return missing;
    }

    private static boolean startedAfter(Instant moment, JsonNode pod) {
        for (JsonNode container : pod.path("status").path("containerStatuses")) {
            String started =
                    container.path("state").path("running").path("startedAt").asText();
            if (started.isEmpty() || Instant.parse(started).isBefore(moment)) {
                return false;
            }
        }
        return true;
    }

    /** What the keeper that works says of everything; empty while none does. */
    Optional<JsonNode> keeper() throws IOException {
        Optional<String> state = node.ask("http://127.0.0.1:26445/state");
        return state.isEmpty() ? Optional.empty() : Optional.of(JSON.readTree(state.get()));
    }

    /** What the keeper says of one component; missing while it says nothing. */
    JsonNode keeperOf(String component) throws IOException {
        return keeper().<JsonNode>map(state -> state.path("components").path("kube-system/" + component))
                .orElseGet(() -> JSON.createObjectNode().path("nothing"));
    }

    String lastGood(String component) throws IOException {
        return keeperOf(component).path("lastGood").asText();
    }

    boolean frontLeadsTo(String server) throws IOException {
        return keeper().filter(state -> state.path("front").asText().startsWith(server))
                .isPresent();
    }

    /** Whether new connections go to an understudy that answers: the front leads there before that. */
    boolean understudyServes() throws IOException {
        return frontLeadsTo("ToUnderstudy")
                && keeperOf(API_SERVER).path("condition").asText().equals("UNDERSTUDY_SERVES");
    }

    /** What keeps it from being as it should be; nothing when every principal serves and no understudy is left. */
    List<String> unrest() throws IOException, InterruptedException {
        List<String> unrest = new ArrayList<>();
        for (String component : COMPONENTS) {
            List<JsonNode> pods = pods(component);
            if (pods.isEmpty() || !pods.stream().allMatch(ControlPlane::isReady)) {
                unrest.add(component + " has " + pods.size() + " pods, not all of them ready");
            }
        }
        node.manifests().stream()
                .filter(file -> file.startsWith("understudy-"))
                .forEach(file -> unrest.add(file + " is there"));
        Optional<JsonNode> keeper = keeper();
        if (keeper.isEmpty()) {
            unrest.add("no keeper answers");
        } else {
            unrest.addAll(unrestOf(keeper.get()));
        }
        return unrest;
    }

    private static List<String> unrestOf(JsonNode keeper) {
        List<String> unrest = new ArrayList<>();
        for (String component : List.of(API_SERVER, CONTROLLER_MANAGER, SCHEDULER, KEEPER)) {
            JsonNode seen = keeper.path("components").path("kube-system/" + component);
            if (!RESTING.contains(seen.path("condition").asText())) {
                unrest.add(component + " is " + seen.path("condition").asText());
            }
        }
        if (!keeper.path("front").asText().startsWith("ToPrincipal")) {
            unrest.add("the front: " + keeper.path("front").asText("").replaceFirst("\\[.*", ""));
        }
        if (keeper.path("staticCopy").asBoolean()) {
            unrest.add("the static copy of the keeper works");
        }
        return unrest;
    }

    void awaitRest() throws Exception {
        List<String> last = new ArrayList<>();
        Await.until("every principal serves and no understudy is left", () -> String.join("; ", last), () -> {
            List<String> unrest = unrest();
            if (!unrest.equals(last)) {
                System.err.println(Instant.now() + " no rest yet: " + String.join("; ", unrest));
                last.clear();
                last.addAll(unrest);
            }
            return unrest.isEmpty();
        });
    }

    /** Until what runs is also the last good checkpoint of it. */
    void awaitProven(String component) throws Exception {
        Await.until(
                "the last good checkpoint of " + component + " is of what runs",
                () -> keeperOf(component).toString(),
                () -> {
                    JsonNode seen = keeperOf(component);
                    String lastGood = seen.path("lastGood").asText();
                    return !lastGood.isEmpty() && seen.path("material").asText().contains(lastGood);
                });
    }

    /** Until pods of the component are ready, none of them one of these, and no understudy of it is left. */
    void awaitOthers(String component, Set<String> before) throws Exception {
        Await.until(component + " has other pods", () -> keeperOf(component).toString(), () -> {
            List<JsonNode> pods = pods(component);
            return !pods.isEmpty()
                    && pods.stream().allMatch(ControlPlane::isReady)
                    && Collections.disjoint(podIds(component), before)
                    && !node.hasUnderstudyOf(component);
        });
    }

    void deletePods(String component, String... more) {
        List<String> command = new ArrayList<>(
                List.of("delete", "pods", "-n", "kube-system", "--wait=false", "--selector", "k8s-app=" + component));
        command.addAll(List.of(more));
        ouro.kubectl(command.toArray(String[]::new));
    }

    /** Neither makes or schedules a pod between the deletion of its own and its end. */
    void removeControllerManagerAndScheduler() throws IOException {
        for (String component : List.of(CONTROLLER_MANAGER, SCHEDULER)) {
            for (Node.Running process : node.processes(component)) {
                ouro.inNode("kill", "-STOP", process.id());
            }
        }
        for (String component : List.of(CONTROLLER_MANAGER, SCHEDULER)) {
            deletePods(component, "--force", "--grace-period=0");
        }
    }

    /** @param operation of a JSON patch */
    void patchDaemonSet(String name, String operation) {
        ouro.kubectl("patch", "daemonset", name, "-n", "kube-system", "--type=json", "--patch", "[" + operation + "]");
    }

    /**
     * Changes the template of a DaemonSet.
     *
     * @param list of its first container: command or args
     */
    void addWords(String daemonSet, String list, String... words) {
        patchDaemonSet(
                daemonSet,
                Stream.of(words)
                        .map(word -> "{\"op\": \"add\", \"path\": \"/spec/template/spec/containers/0/" + list
                                + "/-\", \"value\": \"" + word + "\"}")
                        .collect(Collectors.joining(",")));
    }

    /** Prints what the keeper did lately, and why: without it nobody understands a test that fails. */
    void printDecisions() throws IOException {
        decisions().forEach(System.err::println);
    }

    /** What the keeper that works did lately, and why, a line each; nothing while none does. */
    List<String> decisions() throws IOException {
        List<String> lines = new ArrayList<>();
        Optional<String> decisions = node.ask("http://127.0.0.1:26445/decisions");
        if (decisions.isPresent()) {
            for (JsonNode decision : JSON.readTree(decisions.get()).path("decisions")) {
                lines.add(Stream.of("at", "action", "component", "reason", "evidence", "outcome")
                        .map(part -> decision.path(part).asText())
                        .collect(Collectors.joining(" | ")));
            }
        }
        return lines;
    }

    @Override
    public void close() {
        api.close();
    }
}
