package dev.ouroboros.keeper.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.testing.ModelDisk;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class StaticCopyTest {
    private static final Path SOURCE = Path.of("/secrets/static-pod.json");
    private static final Path KUBECONFIG = Path.of("/secrets/kubeconfig");
    private static final Path MANIFESTS = Path.of("/manifests");
    private static final Path MANIFEST = MANIFESTS.resolve("ouroboros-node-agent.json");
    private static final Path OWN = Path.of("/own");
    private static final String POD = "{\"metadata\": {\"annotations\": {\"ouroboros.dev/owner\": \"node-agent\"}}}";

    private final ModelDisk disk = new ModelDisk();
    private final StaticCopy copy = new StaticCopy(disk, SOURCE, KUBECONFIG, MANIFESTS, OWN);

    @BeforeEach
    void aNode() {
        disk.createDirectories(MANIFESTS, Disk.OWNER_ONLY_DIRECTORY);
        disk.createDirectories(OWN, Disk.OWNER_ONLY_DIRECTORY);
        put(SOURCE, POD);
        put(KUBECONFIG, "{}");
    }

    private void put(Path file, String text) {
        disk.tamper(file, text, Disk.OWNER_ONLY_FILE);
    }

    @Test
    void isRightOnceItIsWrittenUntilItsSourceChanges() {
        assertThat(copy.isRight()).isEqualTo(Evidence.known(false));

        copy.write();

        assertThat(copy.isRight()).isEqualTo(Evidence.known(true));
        assertThat(disk.readText(MANIFEST)).contains(POD);
        assertThat(disk.status(OWN.resolve("kubeconfig")).orElseThrow().permissions())
                .as("it has a key")
                .isEqualTo(Disk.OWNER_ONLY_FILE);

        put(KUBECONFIG, "{\"renewed\": true}");
        assertThat(copy.isRight()).isEqualTo(Evidence.known(false));
    }

    @Test
    void whatSomebodyElseWroteStays() {
        put(MANIFEST, "apiVersion: v1");

        assertThat(copy.isRight()).isInstanceOf(Evidence.Unknown.class);
        copy.remove();
        assertThat(disk.readText(MANIFEST)).contains("apiVersion: v1");
    }

    @Test
    void nothingIsLeftWhenItIsRemovedAlsoTwice() {
        copy.write();

        copy.remove();
        copy.remove();

        assertThat(disk.list(MANIFESTS)).isEmpty();
        assertThat(disk.list(OWN)).isEmpty();
    }

    @Test
    void withoutASourceNothingCanBeSaid() {
        disk.delete(SOURCE);

        assertThat(copy.isRight()).isInstanceOf(Evidence.Unknown.class);
    }
}
