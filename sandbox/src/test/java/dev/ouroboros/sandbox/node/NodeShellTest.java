package dev.ouroboros.sandbox.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class NodeShellTest {
    private static final String OURS = """
            ETCDCTL_API=3
            ETCDCTL_CACERT=/assets/tls/etcd-client-ca.crt
            ETCDCTL_CERT=/assets/tls/etcd-client.crt
            ETCDCTL_ENDPOINTS=https://127.0.0.1:2379
            ETCDCTL_KEY=/assets/tls/etcd-client.key
            """;

    @TempDir
    Path directory;

    @Test
    void etcdctlNeedsNoOption() throws IOException {
        assertThat(environment("endpoint", "health")).isEqualTo(OURS + "endpoint health\n");
    }

    /** etcdctl refuses an option that is in its environment too. */
    @Test
    void whatIsGivenToEtcdctlIsNotInItsEnvironment() throws IOException {
        assertThat(environment("--endpoints=https://192.0.2.1:2379", "--key", "/k", "get", "a b", "--", "--cert"))
                .doesNotContain("ETCDCTL_ENDPOINTS", "ETCDCTL_KEY")
                .contains("ETCDCTL_CACERT=/assets", "ETCDCTL_CERT=/assets")
                .endsWith("--endpoints=https://192.0.2.1:2379 --key /k get a b -- --cert\n");
    }

    @Test
    void aLoginShellHasTheSameEnvironment() throws IOException {
        Path profile = Files.writeString(directory.resolve("profile"), NodeShell.profile());

        assertThat(new LocalProcesses()
                        .run(Command.of("env", "-i", "bash", "-c", ". " + profile + "; printenv PATH KUBECONFIG"))
                        .output())
                .isEqualTo(NodeLayout.ENVIRONMENT.get("PATH") + "\n" + NodeLayout.ENVIRONMENT.get("KUBECONFIG") + "\n");
    }

    private String environment(String... arguments) throws IOException {
        Path program = script("real", "#!/bin/bash\nenv | grep ^ETCDCTL | LC_ALL=C sort\necho \"$*\"\n");
        Path wrapper = script("wrapper", NodeShell.etcdctl(program, Path.of("/assets")));
        List<String> command = new ArrayList<>(List.of(wrapper.toString()));
        command.addAll(List.of(arguments));
        return new LocalProcesses().run(Command.of(command)).orThrow();
    }

    private Path script(String name, String text) throws IOException {
        Path file = Files.writeString(directory.resolve(name), text);
        file.toFile().setExecutable(true);
        return file;
    }
}
