package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ouroboros.node.process.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * Changes of the API server with kubectl, good and bad ones, while new, pooled and watching clients ask every 50 ms: none of them ever
 * fails, and a bad change never gets to them.
 */
@Tag("e2e")
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class ChangeE2eTest {
    private static final String SYSTEM = "--namespace=kube-system";
    private static final String DAEMON_SET = "daemonset/kube-apiserver";
    private static final String ANNOTATION = "ouroboros.dev/change-";
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final Set<String> SERVES_ALONE = Set.of("Soaking", "Done");
    private static final String COMMAND = "/spec/template/spec/containers/0/command/";

    private final Ouro ouro = new Ouro("e2e-change");

    @BeforeAll
    void up() {
        ouro.down();
        ouro.up();
    }

    @AfterAll
    void down() {
        ouro.down();
    }

    @Test
    @Order(1)
    void aFlagChangeLosesNoRequest() throws Exception {
        String before = principal();
        try (Availability availability = Availability.from(ouro.kubeconfig())) {
            patch(add("--v=3"));
            await("the new principal serves", () -> SERVES_ALONE.contains(state()));

            assertThat(principal()).isNotEqualTo(before);
            assertThat(commandOfPrincipal()).contains("--v=3");
            await("it is last-good", () -> state().equals("Done"));
            availability.requireNoFailedRequest();
        }
    }

    @Test
    @Order(2)
    void aFlagThatIsNotKnownNeverGetsTraffic() throws Exception {
        String why = failing(() -> patch(add("--no-such-flag=1")));

        assertThat(why).contains("no-such-flag");
    }

    @Test
    @Order(3)
    void aCertificateOfAnotherAuthorityNeverGetsTraffic() throws Exception {
        String secrets = "/etc/kubernetes/secrets/";
        failing(() -> patch(
                add("--tls-cert-file=" + secrets + "front-proxy-client.crt"),
                add("--tls-private-key-file=" + secrets + "front-proxy-client.key")));
    }

    @Test
    @Order(4)
    void aCandidateThatCrashesAfterItWasReadyNeverGetsTraffic() throws Exception {
        String before = principal();
        try (Availability availability = Availability.from(ouro.kubeconfig())) {
            patch(add("--v=4"));
            await("the change ends", () -> {
                if (state().equals("Proving") && candidateAnswers()) {
                    Thread.sleep(Duration.ofSeconds(5));
                    killCandidate();
                }
                return Set.of("Failed", "Soaking", "Done").contains(state());
            });

            assertThat(state()).isEqualTo("Failed");
            assertThat(principal()).isEqualTo(before);
            availability.requireNoFailedRequest();
        }
        takeBack();
    }

    @Test
    @Order(5)
    void encryptionInOneStepIsRefusedWithTheFieldsPath() throws Exception {
        String file = "/tmp/encryption.yaml";
        Files.writeString(
                ouro.nodeFile(file),
                """
                apiVersion: apiserver.config.k8s.io/v1
                kind: EncryptionConfiguration
                resources:
                - resources: [secrets]
                  providers:
                  - aescbc:
                      keys:
                      - name: another
                        secret: MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=
                  - identity: {}
                """
                        .replace("[secrets]", "\n  - secrets"));
        ouro.kubectl("create", "secret", "generic", "another-key", SYSTEM, "--from-file=encryption.yaml=" + file);
        String before = principal();
        patch(
                add("--encryption-provider-config=/another/encryption.yaml"),
                "{\"op\":\"add\",\"path\":\"/spec/template/spec/volumes/-\",\"value\":"
                        + "{\"name\":\"another\",\"secret\":{\"secretName\":\"another-key\"}}}",
                "{\"op\":\"add\",\"path\":\"/spec/template/spec/containers/0/volumeMounts/-\",\"value\":"
                        + "{\"name\":\"another\",\"mountPath\":\"/another\",\"readOnly\":true}}");
        await("it is refused", () -> state().equals("Refused"));

        assertThat(annotation("message"))
                .contains("spec.template.spec.containers[0].command --encryption-provider-config")
                .contains("secrets");
        assertThat(principal()).isEqualTo(before);
        takeBack();
    }

    @Test
    @Order(6)
    void aChangeIsFinishedByTheKeeperThatComesAfterOneThatWasKilled() throws Exception {
        for (String step : List.of("Proving", "Replacing")) {
            try (Availability availability = Availability.from(ouro.kubeconfig())) {
                patch(add("--profiling=" + step.equals("Proving")));
                await("it is " + step, () -> state().equals(step) || SERVES_ALONE.contains(state()));
                killKeeper();
                await("the new principal serves", () -> SERVES_ALONE.contains(state()));
                await("it is last-good", () -> state().equals("Done"));
                availability.requireNoFailedRequest();
            }
        }
    }

    @Test
    @Order(7)
    void aPausedChangeWaitsAndAnAbortedOneGoesBack() throws Exception {
        String before = principal();
        try (Availability availability = Availability.from(ouro.kubeconfig())) {
            ouro.kubectl("annotate", DAEMON_SET, SYSTEM, "ouroboros.dev/paused=true");
            patch(add("--v=5"));
            await("it is paused", () -> state().equals("Paused"));
            ouro.kubectl("annotate", DAEMON_SET, SYSTEM, "ouroboros.dev/paused-");
            await("it goes on", () -> state().equals("Proving"));
            takeBack();

            assertThat(principal()).isEqualTo(before);
            availability.requireNoFailedRequest();
        }
    }

    @Test
    @Order(8)
    void aPowerCutInTheMiddleOfAChangeEndsInTheOldOrTheNewState() throws Exception {
        patch(add("--v=6"));
        await("the candidate boots", () -> state().equals("Proving"));
        ouro.json("reboot", ouro.nodeName());
        await("the change is carried out", () -> state().equals("Done"));

        assertThat(commandOfPrincipal()).contains("--v=6");
    }

    @Test
    @Order(9)
    void aBadFlagOfTheControllerManagerLeavesTheOldOneLeading() throws Exception {
        for (String component : List.of("kube-controller-manager", "kube-scheduler")) {
            String leader = leader(component);
            ouro.kubectl(
                    "patch",
                    "deployment/" + component,
                    SYSTEM,
                    "--type=json",
                    "--patch=[" + add("--no-such-flag=1") + "]");
            await("a bad " + component + " crashes", () -> restartsOfUnready(component) >= 2);

            assertThat(leader(component)).as(component).isEqualTo(leader);
            ouro.kubectl("rollout", "undo", "deployment/" + component, SYSTEM);
            ouro.kubectl("rollout", "status", "deployment/" + component, SYSTEM, "--timeout=2m");
        }
    }

    /** What a test waits for, and may fail to see for a moment. */
    private interface Question {
        boolean holds() throws IOException, InterruptedException;
    }

    private interface Change {
        void make() throws IOException, InterruptedException;
    }

    /** Makes a change that must fail with the principal untouched and no request lost, takes it back, and returns why it failed. */
    private String failing(Change change) throws Exception {
        String before = principal();
        String why;
        try (Availability availability = Availability.from(ouro.kubeconfig())) {
            change.make();
            await("it fails", () -> state().equals("Failed"));
            why = annotation("message");
            assertThat(principal()).isEqualTo(before);
            assertThat(ouro.kubectl("get", "events", SYSTEM)).contains("ChangeFailed");
            availability.requireNoFailedRequest();
        }
        takeBack();
        return why;
    }

    private void takeBack() throws IOException, InterruptedException {
        ouro.kubectl("rollout", "undo", DAEMON_SET, SYSTEM);
        await("it is taken back", () -> state().equals("Done"));
    }

    private static String add(String flag) {
        return "{\"op\":\"add\",\"path\":\"" + COMMAND + "-\",\"value\":\"" + flag + "\"}";
    }

    private void patch(String... operations) {
        ouro.kubectl("patch", DAEMON_SET, SYSTEM, "--type=json", "--patch=[" + String.join(",", operations) + "]");
    }

    private String annotation(String name) throws IOException {
        return ouro.kubectlJson("get", DAEMON_SET, SYSTEM)
                .path("metadata")
                .path("annotations")
                .path(ANNOTATION + name)
                .asText();
    }

    private String state() throws IOException {
        return annotation("state");
    }

    private JsonNode principalPod() throws IOException {
        JsonNode pods = ouro.kubectlJson("get", "pods", SYSTEM, "--selector=k8s-app=kube-apiserver")
                .path("items");
        assertThat(pods).as("pods of the API server").isNotEmpty();
        return pods.path(0);
    }

    private String principal() throws IOException {
        return principalPod().path("metadata").path("uid").asText();
    }

    private String commandOfPrincipal() throws IOException {
        return principalPod()
                .path("spec")
                .path("containers")
                .path(0)
                .path("command")
                .toString();
    }

    private String leader(String component) throws IOException {
        return ouro.kubectlJson("get", "lease", component, SYSTEM)
                .path("spec")
                .path("holderIdentity")
                .asText();
    }

    private int restartsOfUnready(String component) throws IOException {
        int restarts = 0;
        for (JsonNode pod :
                ouro.kubectlJson("get", "pods", SYSTEM, "--selector=k8s-app=" + component).path("items")) {
            for (JsonNode status : pod.path("status").path("containerStatuses")) {
                restarts += status.path("ready").asBoolean() ? 0 : status.path("restartCount").asInt();
            }
        }
        return restarts;
    }

    private boolean candidateAnswers() {
        Result result = ouro.run(
                nodeCommand("curl", "--insecure", "--silent", "--fail", "https://127.0.0.1:26443/readyz"),
                Duration.ofSeconds(20));
        return result.exitCode() == 0;
    }

    private List<String> nodeCommand(String... words) {
        List<String> command = ouro.command("exec");
        command.add(ouro.nodeName());
        command.add("--");
        command.addAll(List.of(words));
        return command;
    }

    private void killCandidate() throws IOException {
        kill(line -> line.startsWith("kube-apiserver") && line.contains("--secure-port=26443"));
    }

    private void killKeeper() throws IOException {
        kill(line -> line.contains("/opt/keeper/") && !line.startsWith("flock"));
    }

    /** Kills processes of the node by their ids, which its procfs has under their command lines. */
    private void kill(Predicate<String> commandLine) throws IOException {
        List<String> ids = new ArrayList<>();
        try (Stream<Path> all = Files.list(ouro.nodeFile("/proc"))) {
            all.filter(entry -> String.valueOf(entry.getFileName()).matches("\\d+"))
                    .filter(entry -> commandLine.test(words(entry)))
                    .forEach(entry -> ids.add(String.valueOf(entry.getFileName())));
        }
        for (String id : ids) {
            ouro.run(nodeCommand("kill", "-9", id), Duration.ofSeconds(20));
        }
    }

    /** Empty for a process that has ended. */
    private static String words(Path process) {
        try {
            return Files.readString(process.resolve("cmdline")).replace('\0', ' ');
        } catch (IOException e) {
            return "";
        }
    }

    private static void await(String what, Question question) throws IOException, InterruptedException {
        Instant deadline = Instant.now().plus(LIMIT);
        while (!question.holds()) {
            assertThat(Instant.now()).as(what).isBefore(deadline);
            Thread.sleep(Duration.ofMillis(500));
        }
    }
}
