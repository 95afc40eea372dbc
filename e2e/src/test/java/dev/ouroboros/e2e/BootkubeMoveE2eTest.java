package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ouroboros.endpoint.KubeconfigFile;
import dev.ouroboros.node.process.Result;
import dev.ouroboros.sandbox.node.NodeLayout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every command of {@code docs/from-bootkube.md} for a cluster that lives, on one of the shape that bootkube gives it: no keeper, an API
 * server that is rolled, reconciles its own endpoint and mounts a ServiceAccount's token, Secrets in the clear, and objects that somebody
 * else has made.
 */
@Tag("e2e")
@Tag("long")
final class BootkubeMoveE2eTest {
    private static final String NAME = "e2e-move";
    private static final Path PAGE = OuroProgram.CHECKOUT.resolve("docs/from-bootkube.md");
    private static final String DIRECTORY = "/var/lib/ouroboros/move";
    private static final String PAGE_ADDRESS = "192.0.2.10";

    private final OuroProgram ouro = new OuroProgram(NAME);

    @BeforeEach
    void aClusterAsBootkubeStartsIt() throws IOException {
        ouro.down();
        ouro.up("--no-start");
        inTheShapeOfBootkube();
        Result result = ouro.startInNode();
        assertThat(result.exitCode()).as(result.error()).isZero();
        ownedByAnother("daemonset", "kube-apiserver");
        ownedByAnother("deployment", "kube-controller-manager");
        ownedByAnother("deployment", "kube-scheduler");
    }

    @AfterEach
    void down() {
        ouro.down();
    }

    @Test
    void aLivingClusterGetsAKeeperAndKeepsEveryObject() throws Exception {
        String address = KubeconfigFile.read(ouro.kubeconfig(), Optional.empty())
                .server()
                .getHost();
        Files.createDirectories(ouro.nodeFile(DIRECTORY));
        copy("etcd-client-ca.crt", "ca.crt");
        copy("etcd-client.crt", "client.crt");
        copy("etcd-client.key", "client.key");
        try (ControlPlane plane = new ControlPlane(ouro);
                Canaries canaries = new Canaries(plane.api())) {
            canaries.create(200);

            DocumentedCommands.in(PAGE).section("A cluster that lives").requireDoWhatTheySay(script -> {
                try {
                    return shell(script.replace(PAGE_ADDRESS, address));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });

            canaries.requireAll();
            plane.awaitProven(ControlPlane.API_SERVER);
            JsonNode server = ouro.kubectlJson("get", "daemonset", "kube-apiserver", "-n", "kube-system");
            assertThat(server.at("/spec/updateStrategy/type").asText()).isEqualTo("OnDelete");
        }
    }

    /** In the node, which has no {@code ouro} of its own: the checkout's, where the node sees it. */
    private Result shell(String script) throws IOException {
        String classPath = Arrays.stream(Files.readString(OuroProgram.CHECKOUT.resolve("cli/target/quick/built"))
                        .strip()
                        .split(":", -1))
                .map(BootkubeMoveE2eTest::asTheNodeSeesIt)
                .collect(Collectors.joining(":"));
        String java = asTheNodeSeesIt(System.getProperty("java.home")) + "/bin/java --enable-native-access=ALL-UNNAMED"
                + " --sun-misc-unsafe-memory-access=allow -Djava.util.logging.config.file="
                + asTheNodeSeesIt(OuroProgram.CHECKOUT
                        .resolve("scripts/logging.properties")
                        .toString());
        String ourOuro = "ouro() { " + java + " -cp '" + classPath + "' dev.ouroboros.cli.Ouro \"$@\"; }\n";
        List<String> command = ouro.command("exec");
        command.addAll(List.of(
                ouro.nodeName(), "--", "bash", "-euo", "pipefail", "-c", ourOuro + "cd " + DIRECTORY + "\n" + script));
        return ouro.run(command, Duration.ofMinutes(15));
    }

    private static String asTheNodeSeesIt(String file) {
        return NodeLayout.ofHostFile(Path.of(file)).toString();
    }

    private void copy(String asset, String name) throws IOException {
        Files.copy(ouro.nodeFile(OuroProgram.ASSETS + "/tls/" + asset), ouro.nodeFile(DIRECTORY + "/" + name));
    }

    /** What {@code ouro start} applied counts as made by whoever was there before server-side apply. */
    private void ownedByAnother(String kind, String name) {
        ouro.kubectl(
                "patch",
                kind,
                name,
                "-n",
                "kube-system",
                "--type=json",
                "--patch=[{\"op\": \"replace\", \"path\": \"/metadata/managedFields\", \"value\": [{}]}]");
    }

    private void inTheShapeOfBootkube() throws IOException {
        String server = "manifests/kube-apiserver.yaml";
        String temporary = "bootstrap-manifests/bootstrap-apiserver.yaml";
        ouro.replaceInAssets(server, "type: OnDelete", "type: RollingUpdate");
        ouro.replaceInAssets(server, "ouroboros.dev/checkpoint", "checkpointer.alpha.coreos.com/checkpoint");
        ouro.replaceInAssets(server, "automountServiceAccountToken: false", "automountServiceAccountToken: true");
        ouro.replaceInAssets(temporary, "--secure-port=26443", "--secure-port=6443");
        for (String manifest : List.of(server, temporary)) {
            ouro.replaceInAssets(manifest, " *- --endpoint-reconciler-type=none\n", "");
            ouro.replaceInAssets(manifest, " *- --encryption-provider-config=.*\n", "");
        }
        try (DirectoryStream<Path> keeper =
                Files.newDirectoryStream(ouro.nodeFile(OuroProgram.ASSETS + "/manifests"), "keeper*.yaml")) {
            for (Path manifest : keeper) {
                Files.delete(manifest);
            }
        }
    }
}
