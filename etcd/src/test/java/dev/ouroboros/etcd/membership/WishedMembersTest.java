package dev.ouroboros.etcd.membership;

import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.endpoint.KubeconfigFile;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class WishedMembersTest {
    private static final String OBJECT = "/apis/ouroboros.dev/v1alpha1/controlplanes/cluster";
    private static final String STEWARD = "/apis/apps/v1/namespaces/kube-system/daemonsets/ouroboros-steward";

    @TempDir
    private Path directory = Path.of("");

    private static Json.Fields steward(String argument) throws Exception {
        return FakeApiServer.object("apps/v1", "DaemonSet", "kube-system", "ouroboros-steward")
                .with(
                        "spec",
                        JsonText.read("{\"template\": {\"spec\": {\"containers\": [{\"args\": [\"%s\"]}]}}}"
                                .formatted(argument)));
    }

    private void ask(FakeApiServer server) throws Exception {
        Path kubeconfig = server.writeKubeconfig(directory.resolve("kubeconfig"));
        try (ClusterClient client = ClusterClient.connect(KubeconfigFile.read(kubeconfig, Optional.empty()))) {
            WishedMembers.requireNone(client);
        }
    }

    @Test
    void whoAddsAMemberByHandIsRefusedOnlyWhereTheStewardSeesToTheirNumber() throws Exception {
        try (FakeApiServer server = new FakeApiServer(new TestAuthority())) {
            ask(server);
            server.put(
                    OBJECT,
                    FakeApiServer.object("ouroboros.dev/v1alpha1", "ControlPlane", "", "cluster")
                            .with("spec", JsonText.read("{\"etcd\": {\"size\": 1}}")));
            ask(server);
            server.put(STEWARD, steward("--manages-etcd=false"));
            ask(server);
            server.put(STEWARD, steward("--node-name=a"));
            Refusal.of(() -> ask(server), ErrorCode.CHANGE_REFUSED).where("ControlPlane/cluster");
        }
    }
}
