package dev.ouroboros.change.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class HeldRolloutTest {
    private static final int RUNS = 300;
    private static final int MANY_TURNS = 400;

    /** Which DaemonSet controller: what it counts as unavailable. */
    enum Controller {
        /** Until 1.21 every node without a pod that is ready and stays. */
        OF_1_20,
        /** Since then not a node whose pod is of before, unavailable, and not ending yet. */
        OF_1_22
    }

    /** rollingUpdate in pkg/controller/daemon/update.go, and kubelets of which some are off. */
    private static final class Cluster {
        private final Map<String, Boolean> nodes = new TreeMap<>();
        private final List<Pod> pods = new ArrayList<>();
        private final Controller controller;
        private final String maxUnavailable;
        private final int generation = 2;
        private Optional<HeldRollout> seen = Optional.empty();
        private int names;

        private Cluster(Controller controller, int ready, int off, String maxUnavailable) {
            this.controller = controller;
            this.maxUnavailable = maxUnavailable;
            for (int node = 0; node < ready + off; node++) {
                // One that is off is not the last in the order of names.
                nodes.put("n" + (node + off) % (ready + off), node >= off);
            }
            nodes.forEach((node, isOn) -> pods.add(new Pod(node, 1, isOn)));
        }

        private final class Pod {
            private final String name = "p" + names++;
            private final String node;
            private final int template;
            private boolean isReady;
            private boolean isEnding;

            private Pod(String node, int template, boolean isReady) {
                this.node = node;
                this.template = template;
                this.isReady = isReady;
            }

            private boolean isOld() {
                return template != generation;
            }

            private boolean isAvailable() {
                return isReady && !isEnding;
            }

            private Json json() {
                return read("""
                        {"metadata": {"name": "%s", "labels": {"controller-revision-hash": "h%d", "pod-template-generation": "%d"},
                           "ownerReferences": [{"uid": "u"}] %s},
                         "spec": {"nodeName": "%s"},
                         "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "%s"}]}}
                        """.formatted(
                                name,
                                template,
                                template,
                                isEnding ? ", \"deletionTimestamp\": \"2026-11-30T00:00:00Z\"" : "",
                                node,
                                isReady ? "True" : "False"));
            }
        }

        private boolean isOn(String node) {
            return nodes.getOrDefault(node, false);
        }

        private long allowed() {
            return maxUnavailable.endsWith("%")
                    ? Math.ceilDiv(nodes.size() * Long.parseLong(maxUnavailable.replace("%", "")), 100L)
                    : Long.parseLong(maxUnavailable);
        }

        /** Nodes, all or those that are on, that no pod serves. */
        private long unserved(boolean all) {
            return nodes.keySet().stream()
                    .filter(node -> all || isOn(node))
                    .filter(node -> pods.stream().noneMatch(pod -> pod.node.equals(node) && pod.isAvailable()))
                    .count();
        }

        /** What is next, of which there may be much: the controller looks as often as kubelets do something. */
        private void turn(Random random) {
            switch (random.nextInt(4)) {
                case 0 -> {
                    if (pods.removeIf(pod -> pod.isEnding && isOn(pod.node))) {
                        seen = Optional.empty();
                    }
                }
                case 1 ->
                    nodes.keySet().stream()
                            .filter(node -> pods.stream().noneMatch(pod -> pod.node.equals(node)))
                            .findFirst()
                            .ifPresent(node -> {
                                pods.add(new Pod(node, generation, false));
                                seen = Optional.empty();
                            });
                case 2 ->
                    pods.stream()
                            .filter(pod -> !pod.isReady && !pod.isEnding && isOn(pod.node))
                            .findFirst()
                            .ifPresent(pod -> {
                                pod.isReady = true;
                                seen = Optional.empty();
                            });
                default -> rollingUpdate();
            }
        }

        private void rollingUpdate() {
            long uncounted = controller == Controller.OF_1_20
                    ? 0
                    : pods.stream()
                            .filter(pod -> pod.isOld() && !pod.isReady && !pod.isEnding)
                            .count();
            long room = allowed() - (unserved(true) - uncounted);
            for (Pod pod : pods) {
                boolean isCandidate = pod.isOld() && !pod.isEnding;
                if (isCandidate && !pod.isReady) {
                    end(pod);
                } else if (isCandidate && room > 0) {
                    end(pod);
                    room--;
                }
            }
        }

        private void end(Pod pod) {
            pod.isEnding = true;
            seen = Optional.empty();
        }

        private void switchAllOn() {
            nodes.replaceAll((_, _) -> true);
            seen = Optional.empty();
        }

        private Json daemonSet() {
            long updated =
                    pods.stream().filter(pod -> !pod.isOld() && !pod.isEnding).count();
            long available = nodes.size() - unserved(true);
            return read("""
                    {"metadata": {"uid": "u", "generation": %d, "annotations": {"deprecated.daemonset.template.generation": "%d"}},
                     "spec": {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": %s}}},
                     "status": {"observedGeneration": %d, "desiredNumberScheduled": %d, "updatedNumberScheduled": %d,
                        "numberReady": %d, "numberAvailable": %d}}
                    """.formatted(
                            generation,
                            generation,
                            maxUnavailable.endsWith("%") ? "\"" + maxUnavailable + "\"" : maxUnavailable,
                            generation,
                            nodes.size(),
                            updated,
                            available,
                            available));
        }

        /** Many turns change nothing. */
        private HeldRollout look() {
            HeldRollout now = seen.orElseGet(() -> HeldRollout.of(
                    daemonSet(),
                    pods.stream().map(Pod::json).toList(),
                    nodes.entrySet().stream()
                            .map(node -> node(node.getKey(), node.getValue()))
                            .toList()));
            seen = Optional.of(now);
            return now;
        }

        private void delete(Json json) {
            pods.stream()
                    .filter(pod -> json.at("metadata", "name").equals(Json.text(pod.name)))
                    .forEach(this::end);
        }

        private boolean isCurrent(boolean everywhere) {
            return unserved(everywhere) == 0
                    && pods.stream().filter(pod -> everywhere || isOn(pod.node)).noneMatch(Pod::isOld);
        }

        private Set<String> off() {
            Set<String> off = new TreeSet<>(nodes.keySet());
            off.removeIf(this::isOn);
            return off;
        }
    }

    private static Json read(String text) {
        try {
            return JsonText.read(text);
        } catch (MalformedJson e) {
            throw new AssertionError(text, e);
        }
    }

    private static Json node(String name, boolean isReady) {
        return read("""
                {"metadata": {"name": "%s"}, "status": {"conditions": [{"type": "Ready", "status": "%s"}]}}
                """.formatted(name, isReady ? "True" : "Unknown"));
    }

    /** Without anybody's help Kubernetes never comes to an end, which is why there is any. */
    @ParameterizedTest
    @EnumSource
    void kubernetesAloneLeavesOthersAsTheyAre(Controller controller) {
        Cluster cluster = new Cluster(controller, 3, 1, "1");
        Random random = new Random(1);
        for (int turn = 0; turn < MANY_TURNS; turn++) {
            cluster.turn(random);
        }
        assertThat(cluster.isCurrent(false)).isFalse();
        assertThat(cluster.look()).isInstanceOf(HeldRollout.Next.class);
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 1", "3, 1, 1", "3, 2, 1", "5, 2, 2", "5, 1, 2", "7, 3, 20%", "7, 1, 50%"})
    void allThatAreOnGetTheTemplateOneAfterTheOtherAndTheRestWhenItIs(int on, int off, String maxUnavailable) {
        for (int run = 0; run < RUNS; run++) {
            Random random = new Random(run);
            Controller controller = Controller.values()[run % 2];
            Cluster cluster = new Cluster(controller, on, off, maxUnavailable);
            assertThat(cluster.off()).hasSize(off);
            for (int turn = 0; turn < MANY_TURNS; turn++) {
                if (random.nextInt(3) > 0) {
                    cluster.turn(random);
                } else if (cluster.look() instanceof HeldRollout.Next next) {
                    cluster.delete(next.pod());
                }
                assertThat(cluster.unserved(false))
                        .as("no more at a time than may be")
                        .isLessThanOrEqualTo(cluster.allowed());
                if (cluster.look() instanceof HeldRollout.SettledElsewhere) {
                    assertThat(cluster.isCurrent(false)).isTrue();
                }
            }
            assertThat(cluster.look())
                    .as(controller + " " + run)
                    .isEqualTo(new HeldRollout.SettledElsewhere(new TreeSet<>(cluster.off())));

            cluster.switchAllOn();
            for (int turn = 0; turn < MANY_TURNS; turn++) {
                cluster.turn(random);
            }
            assertThat(cluster.isCurrent(true)).isTrue();
            assertThat(cluster.look()).isEqualTo(new HeldRollout.NotHeld());
        }
    }

    private static HeldRollout of(String daemonSet, String pods) {
        return HeldRollout.of(
                read(daemonSet), read(pods).items(), List.of(node("n1", true), node("n2", true), node("off", false)));
    }

    private static final String SET = """
            {"metadata": {"uid": "u", "generation": 2, "annotations": {"deprecated.daemonset.template.generation": "2" %s}},
             "spec": {"updateStrategy": %s},
             "status": {"observedGeneration": %s, "desiredNumberScheduled": 3, "updatedNumberScheduled": 0, "numberAvailable": %s}}
            """;
    private static final String ROLLING = "{\"type\": \"RollingUpdate\", \"rollingUpdate\": {\"maxUnavailable\": 1}}";

    private static String pod(String node, String hash, String generation, boolean isReady) {
        return """
                {"metadata": {"name": "on-%s", "labels": {"controller-revision-hash": "%s", "pod-template-generation": "%s"},
                   "ownerReferences": [{"uid": "u"}]},
                 "spec": {"nodeName": "%s"},
                 "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "%s"}]}}
                """.formatted(node, hash, generation, node, isReady ? "True" : "False");
    }

    private static String old(String node) {
        return pod(node, "h1", "1", true);
    }

    /** As Kubernetes has it on a node that is away. */
    private static String ending(String node) {
        return pod(node, "h1", "1", false)
                .replace("\"name\"", "\"deletionTimestamp\": \"2026-11-30T00:00:00Z\", \"name\"");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '~',
            delimiter = '|',
            value = {
                // The keeper's word, the strategy, the generation seen, pods available.
                "-         | {'type': 'OnDelete'}                                                  | 2 | 2",
                "Replacing | {'type': 'RollingUpdate', 'rollingUpdate': {'maxUnavailable': 1}}     | 2 | 2",
                "-         | {'type': 'RollingUpdate', 'rollingUpdate': {'maxUnavailable': 1}}     | 1 | 2",
                "-         | {'type': 'RollingUpdate', 'rollingUpdate': {'maxUnavailable': 1}}     | 2 | 1",
                "-         | {'type': 'RollingUpdate', 'rollingUpdate': {'maxUnavailable': 0}}     | 2 | 2",
                "-         | {'type': 'RollingUpdate', 'rollingUpdate': {'maxUnavailable': '60%'}} | 2 | 2",
            })
    void nothingIsDeletedWhereItIsNotForKubernetesToDoOrItMay(
            String said, String strategy, String observed, String available) {
        String annotation = said.equals("-") ? "" : ", 'ouroboros.dev/change-state': '" + said + "'";
        String set = SET.formatted(annotation, strategy, observed, available).replace('\'', '"');
        assertThat(of(set, "[" + old("n1") + "," + old("n2") + "," + ending("off") + "]"))
                .isEqualTo(new HeldRollout.NotHeld());
    }

    @Test
    void nothingIsDeletedWhileAnotherIsNotReadyOrMissing() {
        String set = SET.formatted("", ROLLING, 2, 2);
        assertThat(of(set, "[" + old("n1") + "," + pod("n2", "h2", "2", false) + "," + ending("off") + "]"))
                .isEqualTo(new HeldRollout.NotHeld());
        assertThat(of(set, "[" + old("n1") + "," + ending("off") + "]")).isEqualTo(new HeldRollout.NotHeld());
        assertThat(of(set, "[" + old("n1") + "," + old("n2") + "]")).isEqualTo(new HeldRollout.NotHeld());
        assertThat(of(set, "[" + old("n1") + "," + pod("n2", "h2", "2", true) + "," + ending("off") + "]"))
                .isInstanceOfSatisfying(
                        HeldRollout.Next.class,
                        next -> assertThat(next.pod().at("metadata", "name")).isEqualTo(Json.text("on-n1")));
    }

    /** Kubernetes counts those of before that have its hash, whatever generation they were made in. */
    @Test
    void aTemplateThatCameBackIsKnownByItsHash() {
        String set = SET.formatted("", ROLLING, 2, 2);
        assertThat(of(
                        set,
                        "[" + pod("n1", "h0", "0", true) + "," + pod("n2", "h0", "2", true) + "," + ending("off")
                                + "]"))
                .isEqualTo(new HeldRollout.SettledElsewhere(new TreeSet<>(List.of("off"))));
    }

    @Test
    void whereNoNodeIsHeardOfNothingIsSettled() {
        String set = SET.formatted("", ROLLING, 2, 0);
        assertThat(HeldRollout.of(
                        read(set),
                        read("[" + ending("n1") + "," + ending("n2") + "," + ending("off") + "]")
                                .items(),
                        List.of(node("n1", false), node("n2", false), node("off", false))))
                .isEqualTo(new HeldRollout.NotHeld());
    }

    /** Nobody knows which of them is of the template. */
    @Test
    void withoutAGenerationNothingIsDeleted() {
        String set = SET.formatted("", ROLLING, 2, 2).replace("deprecated.daemonset.template.generation", "other");
        assertThat(of(set, "[" + old("n1") + "," + old("n2") + "," + ending("off") + "]"))
                .isEqualTo(new HeldRollout.NotHeld());
    }

    @Test
    void theApiServersAreTheKeepers() {
        String set = SET.formatted("", ROLLING, 2, 2)
                .replace(
                        "\"updateStrategy\"",
                        "\"template\": {\"spec\": {\"containers\": [{\"name\": \"kube-apiserver\", \"command\": [\"kube-apiserver\"]}]}}, \"updateStrategy\"");
        assertThat(of(set, "[" + old("n1") + "," + old("n2") + "," + ending("off") + "]"))
                .isEqualTo(new HeldRollout.NotHeld());
    }
}
