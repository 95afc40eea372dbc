package dev.ouroboros.e2e;

import static dev.ouroboros.e2e.ApiServerChange.DAEMON_SET;
import static dev.ouroboros.e2e.ApiServerChange.SYSTEM;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ouroboros.node.process.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * Changes of the control plane with kubectl, good and bad ones, while new, pooled and watching clients ask every 50 ms, one of the good
 * ones also from a pod: none of them ever fails, and a bad change never gets to them. {@link ChangeFaultsE2eTest} has what takes longer.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
abstract class ChangeCases {
    private final OuroProgram ouro;
    private final ControlPlane plane;
    private final ApiServerChange change;

    @TempDir
    private Path directory = Path.of("");

    /** @param plane of a cluster that is at rest, whose keeper has short times */
    ChangeCases(OuroProgram ouro, ControlPlane plane) {
        this.ouro = ouro;
        this.plane = plane;
        this.change = new ApiServerChange(ouro, plane);
    }

    @AfterAll
    void close() {
        plane.close();
    }

    @Test
    @Order(1)
    void aFlagIsChanged() throws Exception {
        try (Availability availability = Availability.of(ouro.kubeconfig());
                NamespaceProbe inPod = NamespaceProbe.inPod(ouro, plane.node())) {
            change.changed(() -> change.patch(ApiServerChange.add("--v=3")));

            assertThat(change.served()).contains("--v=3");
            availability.requireNoFailedRequest();
            inPod.requireNoFailedRequest();
        }
    }

    @Test
    @Order(2)
    void aFlagThatIsNotKnownNeverGetsTrafficAndStatusNamesTheWayBack() throws Exception {
        String before = change.principal();
        assertThat(change.failed(() -> change.patch(ApiServerChange.add("--no-such-flag=1"))))
                .contains("unknown flag: --no-such-flag");
        assertThat(ouro.run("status").output()).contains("ouro change abort --name ");
        assertThat(ouro.run("exec", ouro.nodeName(), "--", "kubectl", "rollout", "status", DAEMON_SET, SYSTEM)
                        .exitCode())
                .as("kubectl cannot wait for a DaemonSet that is replaced on delete")
                .isNotZero();

        // After a second bad one undo gives the first bad one; abort what runs.
        change.taken(() -> change.setImage("no-such-image"));
        ouro.kubectl("rollout", "undo", DAEMON_SET, SYSTEM);
        assertThat(template()).contains("--no-such-flag=1");
        change("abort");
        change.awaitTakenBack();

        assertThat(template()).doesNotContain("no-such").contains("--v=3");
        assertThat(change.principal()).isEqualTo(before);
    }

    @Test
    @Order(3)
    @Tag("long")
    void abortWinsBesideARotationThatRuns() throws Exception {
        String before = template();
        Path said = directory.resolve("rotation.txt");
        Process rotation = new ProcessBuilder(changeCommand("rotate-encryption-key"))
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        try {
            change.awaitState("Proving");
            change("abort");
            assertThat(rotation.waitFor(2, TimeUnit.MINUTES)).isTrue();
        } finally {
            rotation.destroy();
        }
        assertThat(rotation.exitValue()).as(Files.readString(said)).isEqualTo(2);
        assertThat(Files.readString(said)).contains("was taken back meanwhile").contains("key1");
        change.awaitTakenBack();
        assertThat(template()).isEqualTo(before);
    }

    private String template() {
        return ouro.kubectl("get", DAEMON_SET, SYSTEM, "-o", "jsonpath={.spec.template}");
    }

    /** For programs, too, it says what became of it. */
    private void change(String verb) throws IOException {
        List<String> command = changeCommand(verb);
        command.addAll(List.of("-o", "json"));
        Result result = ouro.run(command, Duration.ofMinutes(1));
        assertThat(result.exitCode()).as(result.error()).isZero();
        JsonNode said = new ObjectMapper().readTree(result.output());
        assertThat(said.path("command").asText()).isEqualTo(verb);
        assertThat(said.path("outcome").asText()).isEqualTo("done");
    }

    private List<String> changeCommand(String verb) {
        List<String> command = new ArrayList<>(ouro.command("change"));
        command.add(2, verb);
        return command;
    }

    @Test
    @Tag("long")
    @Order(4)
    void encryptionInOneStepIsRefusedWithTheFieldsPath() throws Exception {
        String file = "/tmp/encryption.yaml";
        Files.writeString(plane.node().file(file), """
                apiVersion: apiserver.config.k8s.io/v1
                kind: EncryptionConfiguration
                resources:
                - resources:
                  - secrets
                  providers:
                  - aescbc:
                      keys:
                      - name: another
                        secret: MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=
                  - identity: {}
                """);
        ouro.kubectl("create", "secret", "generic", "another-key", SYSTEM, "--from-file=encryption.yaml=" + file);
        String before = change.principal();
        change.taken(() -> change.patch(
                ApiServerChange.add("--encryption-provider-config=/another/encryption.yaml"),
                "{\"op\":\"add\",\"path\":\"/spec/template/spec/volumes/-\",\"value\":"
                        + "{\"name\":\"another\",\"secret\":{\"secretName\":\"another-key\"}}}",
                "{\"op\":\"add\",\"path\":\"/spec/template/spec/containers/0/volumeMounts/-\",\"value\":"
                        + "{\"name\":\"another\",\"mountPath\":\"/another\",\"readOnly\":true}}"));
        change.awaitState("Refused");

        assertThat(change.annotation("message"))
                .contains("spec.template.spec.containers[0].command --encryption-provider-config")
                .contains("secrets");
        assertThat(change.principal()).isEqualTo(before);
        change.takeBack();
    }

    @Test
    @Tag("long")
    @Order(5)
    void aPausedChangeWaitsAndAnAbortedOneGoesBack() throws Exception {
        String before = change.principal();
        try (Availability availability = Availability.of(ouro.kubeconfig())) {
            ouro.kubectl("annotate", DAEMON_SET, SYSTEM, "ouroboros.dev/paused=true");
            change.taken(() -> change.patch(ApiServerChange.add("--v=5")));
            change.awaitState("Paused");
            ouro.kubectl("annotate", DAEMON_SET, SYSTEM, "ouroboros.dev/paused-");
            change.awaitState("Proving");
            change.takeBack();

            assertThat(change.principal()).isEqualTo(before);
            availability.requireNoFailedRequest();
        }
    }

    @Test
    @Tag("long")
    @Order(6)
    void aBadFlagOfControllerManagerOrSchedulerLeavesTheOldOneLeading() throws Exception {
        for (String component : List.of(ControlPlane.CONTROLLER_MANAGER, ControlPlane.SCHEDULER)) {
            String leader = leader(component);
            ouro.kubectl(
                    "patch",
                    "deployment/" + component,
                    SYSTEM,
                    "--type=json",
                    "--patch=[" + ApiServerChange.add("--no-such-flag=1") + "]");
            Await.until("a bad " + component + " crashes", () -> restartsOfUnready(component) >= 2);

            assertThat(leader(component)).as(component).isEqualTo(leader);
            ouro.kubectl("rollout", "undo", "deployment/" + component, SYSTEM);
            ouro.kubectl("rollout", "status", "deployment/" + component, SYSTEM, "--timeout=2m");
        }
    }

    @Test
    @Tag("long")
    @Order(7)
    void aPowerCutWhileThePrincipalIsReplacedEndsInTheNewState() throws Exception {
        change.powerCutAt("Replacing", () -> change.patch(ApiServerChange.add("--v=6")));

        assertThat(change.served()).contains("--v=6");
    }

    private String leader(String component) throws IOException {
        return ouro.kubectlJson("get", "lease", component, SYSTEM)
                .at("/spec/holderIdentity")
                .asText();
    }

    private int restartsOfUnready(String component) throws InterruptedException {
        int restarts = 0;
        for (JsonNode pod : plane.pods(component)) {
            for (JsonNode status : pod.at("/status/containerStatuses")) {
                restarts += status.path("ready").asBoolean()
                        ? 0
                        : status.path("restartCount").asInt();
            }
        }
        return restarts;
    }
}
