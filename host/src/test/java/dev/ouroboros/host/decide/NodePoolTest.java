package dev.ouroboros.host.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.problem.Problem;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class NodePoolTest {
    private final List<Problem> problems = new ArrayList<>();

    private NodePool pool(String name, Map<String, String> data) {
        return NodePool.of(name, data, problems);
    }

    private List<String> said() {
        return problems.stream().map(Problem::describe).toList();
    }

    @Test
    void whatAPoolDoesNotSayIsAsInTheWorkers() {
        Map<String, String> data = Map.of("pool.worker", """
                labels: {rack: "7", zone: b}
                taints: [slow=yes:NoSchedule]
                kubelet: {maxPods: 50, evictionHard: {memory.available: 5%}}
                """, "pool.gpu", """
                labels: {zone: c, gpu: true}
                kubelet: {maxPods: 20}
                """, "pool.bare", "taints: []");

        NodePool gpu = pool("gpu", data);
        assertThat(gpu.labels()).isEqualTo(Map.of("rack", "7", "zone", "c", "gpu", "true"));
        assertThat(gpu.taints()).containsExactly("slow=yes:NoSchedule");
        assertThat(gpu.kubelet())
                .isEqualTo(Map.of("maxPods", new BigDecimal(20), "evictionHard", Map.of("memory.available", "5%")));
        assertThat(pool("bare", data).taints()).isEmpty();
        assertThat(said()).isEmpty();
    }

    @Test
    void aPoolThatIsNotThereIsAnsweredWithThoseThatAre() {
        assertThat(pool("gpus", Map.of("pool.gpu", "{}", "pool.worker", "{}", "cluster", "{}")))
                .isEqualTo(NodePool.NONE);
        assertThat(said()).singleElement().asString().contains("no pool gpus", "gpu, worker", "did you mean gpu?");
    }

    @Test
    void whatIsOfAnotherKindIsSaid() {
        pool("worker", Map.of("pool.worker", "{labels: [a], taints: gpu=yes:NoSchedule, kubelet: {maxPods: }}"));
        pool("worker", Map.of("pool.worker", "labels"));

        assertThat(said())
                .hasSize(4)
                .anySatisfy(line -> assertThat(line).contains("labels: is of another kind"))
                .anySatisfy(line -> assertThat(line).contains("taints: is of another kind"))
                .anySatisfy(line -> assertThat(line).contains("kubelet.maxPods: has no value"))
                .anySatisfy(line -> assertThat(line).contains("is no mapping"));
    }

    @Test
    void everythingThatCannotBeIsSaidAtOnce() {
        pool("worker", Map.of("pool.worker", """
                label: {a: b}
                labels: {node-role.kubernetes.io/control-plane: "", "a b": c, node.kubernetes.io/speed: fast}
                taints: ["gpu", "gpu=yes:Never", "gpu:NoExecute"]
                kubelet: {staticPodPath: /tmp}
                """));

        assertThat(said())
                .hasSize(6)
                .anySatisfy(line -> assertThat(line).contains("label", "no field of a pool"))
                .anySatisfy(
                        line -> assertThat(line).contains("may not give itself node-role.kubernetes.io/control-plane"))
                .anySatisfy(line -> assertThat(line).contains("a b=c is no label"))
                .anySatisfy(line -> assertThat(line).contains("'gpu' is no taint"))
                .anySatisfy(line -> assertThat(line).contains("'gpu=yes:Never' is no taint"))
                .anySatisfy(line -> assertThat(line).contains("staticPodPath", "not for a pool to say"));
    }
}
