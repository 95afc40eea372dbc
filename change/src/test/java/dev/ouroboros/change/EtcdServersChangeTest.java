package dev.ouroboros.change;

import static dev.ouroboros.change.FakeCluster.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.EtcdServersFlag;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.procedure.ProcedureListener;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;

final class EtcdServersChangeTest {
    private static final String FIRST = "https://10.0.0.1:2379";
    private static final String SECOND_DOOR = "https://10.0.0.1:22379";
    private static final String OTHER = "https://10.0.0.2:2379";
    private static final ProcedureListener SILENT = new ProcedureListener() {
        @Override
        public void did(String what) {}

        @Override
        public void waits(String why, Duration since) {}
    };

    private final FakeCluster cluster = new FakeCluster();

    private void apiServer(String command, String status) {
        cluster.put(
                FakeCluster.DAEMON_SET,
                json(
                        "{'metadata': {'namespace': 'kube-system', 'name': 'kube-apiserver', 'generation': 1}, 'spec': {'template':"
                                + " {'spec': {'containers': [{'name': 'sidecar', 'command': ['--etcd-servers=untouched']},"
                                + " {'name': 'kube-apiserver', 'command': [" + command + "]}]}}}, 'status':"
                                + " {'observedGeneration': 1, 'desiredNumberScheduled': 1, 'updatedNumberScheduled': 1,"
                                + " 'numberReady': 1}" + status + "}"));
    }

    private EtcdServersChange change() {
        return new EtcdServersChange(
                cluster, SILENT, new Patience(SILENT, Duration.ofSeconds(5), InstantSource.system()));
    }

    private List<String> now() {
        return EtcdServersFlag.of(cluster.read(FakeCluster.DAEMON_SET));
    }

    @Test
    void membersAreAddedAndAMemberIsLeftOut() {
        apiServer("'kube-apiserver', '--etcd-servers=" + FIRST + "," + SECOND_DOOR + "', '--secure-port=6443'", "");
        assertThat(change().to(List.of(FIRST, OTHER)))
                .isEqualTo(new EtcdServersChange.Outcome(List.of(FIRST, OTHER, SECOND_DOOR), true));
        Json containers = cluster.read(FakeCluster.DAEMON_SET).at("spec", "template", "spec", "containers");
        assertThat(containers.items().getFirst().at("command"))
                .isEqualTo(Json.texts(List.of("--etcd-servers=untouched")));
        assertThat(containers.items().getLast().at("command"))
                .isEqualTo(Json.texts(List.of(
                        "kube-apiserver",
                        "--etcd-servers=" + FIRST + "," + OTHER + "," + SECOND_DOOR,
                        "--secure-port=6443")));

        assertThat(change().to(List.of(OTHER)).urls()).containsExactly(OTHER);
        int writes = cluster.writes.size();
        assertThat(change().to(List.of(OTHER)).isChanged()).isFalse();
        assertThat(cluster.writes).hasSize(writes);
    }

    @Test
    void aFlagInTwoWordsIsSetInItsPlace() {
        apiServer("'kube-apiserver', '--etcd-servers', '" + FIRST + "', '--secure-port=6443'", "");
        change().to(List.of(OTHER));
        assertThat(now()).containsExactly(OTHER);
    }

    @Test
    void whatSomebodyTakesBackEndsTheRun() {
        apiServer("'kube-apiserver', '--etcd-servers=" + FIRST + "'", "");
        cluster.aborts = 1;
        Refusal.of(
                () -> change().to(List.of(OTHER)),
                ErrorCode.CHANGE_REFUSED,
                "DaemonSet kube-system/kube-apiserver",
                "was changed by somebody else meanwhile",
                "run the same command again");
    }

    @Test
    void oneThatIsOffIsNotWaitedForInVain() {
        apiServer("'kube-apiserver', '--etcd-servers=" + FIRST + "'", "");
        cluster.put(
                "/api/v1/nodes/two",
                json(
                        "{'metadata': {'name': 'two'}, 'status': {'conditions': [{'type': 'Ready', 'status': 'Unknown'}]}}"));
        Refusal.of(
                () -> change().to(List.of(OTHER)),
                ErrorCode.CHANGE_REFUSED,
                "Node two",
                "is not ready",
                "kubectl delete node two");
        assertThat(cluster.writes).isEmpty();
    }

    @Test
    void aShellsTextIsRefused() {
        apiServer("'sh', '-c', 'exec kube-apiserver --etcd-servers=" + FIRST + "'", "");
        Refusal.of(
                () -> change().to(List.of(OTHER)),
                ErrorCode.UNSUPPORTED_CLUSTER,
                "DaemonSet kube-system/kube-apiserver: --etcd-servers",
                "is in the text of a shell",
                "kubectl -n kube-system edit daemonset kube-apiserver");
    }
}
