package dev.ouroboros.status.judge;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.kubelet.KubeletReport;
import dev.ouroboros.model.kubelet.KubeletWish;
import dev.ouroboros.status.model.ComponentHealth;
import dev.ouroboros.status.model.ComponentHealth.Grade;
import dev.ouroboros.status.model.ComponentStatus;
import dev.ouroboros.status.model.Layer;
import dev.ouroboros.status.model.Owner;
import dev.ouroboros.status.model.Remark;
import dev.ouroboros.status.seen.ApiSeen;
import dev.ouroboros.status.seen.DatedCertificate;
import dev.ouroboros.status.seen.NodeSeen;
import dev.ouroboros.status.seen.NodeSeen.NodeCertificates;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Where the kubelets stand: what the API has of their nodes, and what can be seen of the one of this node. */
final class KubeletJudge {
    static final String ELSEWHERE = "only its node knows: ask there, or give --name";

    /** Type of a Node's condition. */
    private static final String READY = "Ready";

    private KubeletJudge() {}

    /** Empty when no node is known of. */
    static Optional<ComponentStatus> judge(Evidence<ApiSeen> api, Evidence<NodeSeen> node) {
        List<Json> nodes = api.orElse(ApiSeen.unknown("", "")).nodes().orElse(List.of());
        Optional<NodeSeen> here = node instanceof Known<NodeSeen>(NodeSeen seen) ? Optional.of(seen) : Optional.empty();
        if (nodes.isEmpty() && here.isEmpty()) {
            return Optional.empty();
        }
        List<String> names = nodes.isEmpty()
                ? here.map(NodeSeen::name).stream().toList()
                : nodes.stream()
                        .map(each -> each.at("metadata", "name").text().orElse("?"))
                        .sorted()
                        .toList();
        return Optional.of(new ComponentStatus(
                Layer.KUBELET,
                "",
                "kubelet",
                Evidence.known(owner(nodes)),
                names,
                kubeletVersion(nodes, here),
                kubeletHealth(nodes, here),
                Optional.empty(),
                certificates(node, NodeCertificates::kubelet),
                Optional.empty(),
                ills(nodes).stream()
                        .map(ill -> ill.said(nodes.size() > 1))
                        .filter(text -> !text.isEmpty())
                        .collect(Collectors.joining("; "))));
    }

    /** Guarded where every node says so. */
    private static Owner owner(List<Json> nodes) {
        boolean isGuarded = !nodes.isEmpty()
                && nodes.stream()
                        .allMatch(each -> KubeletReport.ofNode(each)
                                .filter(report -> report.state() != KubeletReport.State.UNMANAGED)
                                .isPresent());
        return isGuarded ? Owner.GUARDED_PROCESS : Owner.PROCESS;
    }

    /** Of each node whose kubelet is to be another one, and is not. */
    static List<Remark> remarks(Evidence<ApiSeen> api) {
        List<Remark> remarks = new ArrayList<>();
        for (Json each : api.orElse(ApiSeen.unknown("", "")).nodes().orElse(List.of())) {
            String name = each.at("metadata", "name").text().orElse("?");
            KubeletReport.ofNode(each).flatMap(report -> remark(name, report)).ifPresent(remarks::add);
            boolean isMarked = each.at("metadata", "annotations", KubeletWish.CORDON_ANNOTATION)
                    .text()
                    .isPresent();
            if (isMarked && each.at("spec", "unschedulable").isTrue()) {
                remarks.add(new Remark(
                        Grade.MOVING,
                        Component.KUBELET.id(),
                        "node " + name + " takes no pods until it has another one",
                        "the same command again goes on; ouro kubelet rollback takes it back"));
            }
        }
        return remarks;
    }

    private static Optional<Remark> remark(String node, KubeletReport report) {
        String why = report.message().isEmpty() ? "" : ": " + report.message();
        String name = Component.KUBELET.id();
        return switch (report.state()) {
            case RUNNING, UNMANAGED -> Optional.empty();
            case TRYING -> Optional.of(new Remark(Grade.MOVING, name, "node " + node + " tries another one" + why, ""));
            case WAITING ->
                Optional.of(new Remark(
                        Grade.MOVING, name, "node " + node + " waits for another one" + why, "ouro kubelet status"));
            case FAILED ->
                Optional.of(new Remark(
                        Grade.BAD,
                        name,
                        "node " + node + " has gone back to the former one" + why,
                        "ouro kubelet rollback takes the wish back; ouro kubelet set --again tries it once more"));
            case REFUSED ->
                Optional.of(new Remark(
                        Grade.BAD,
                        name,
                        "node " + node + " refuses what is wished of it" + why,
                        "ouro kubelet rollback takes the wish back"));
        };
    }

    /**
     * What is wrong with a node.
     *
     * @param type of the condition that says so
     * @param message in the kubelet's words, or the controller manager's; may be empty
     */
    private record Ill(String node, String type, String message) {
        boolean isOff() {
            return type.equals(READY);
        }

        /** Empty when there is nothing to say but what is wrong, and no other node that it could be of. */
        String said(boolean isOneOfSeveral) {
            String what = isOff() ? "not ready" : type;
            return message.isEmpty() ? (isOneOfSeveral ? node + ": " + what : "") : node + ": " + message;
        }
    }

    /** Of every node that is not well, why; by node. */
    private static List<Ill> ills(List<Json> nodes) {
        return nodes.stream()
                .flatMap(each -> Stream.concat(
                        isReady(each)
                                ? Stream.empty()
                                : Stream.of(ill(each, READY, readiness(each).orElse(Json.absent()))),
                        pressure(each).stream()
                                .map(condition ->
                                        ill(each, condition.at("type").text().orElse("pressure"), condition))))
                .sorted(Comparator.comparing(Ill::node))
                .toList();
    }

    private static Ill ill(Json node, String type, Json condition) {
        return new Ill(
                node.at("metadata", "name").text().orElse("?"),
                type,
                condition.at("message").text().orElse(""));
    }

    private static Evidence<String> kubeletVersion(List<Json> nodes, Optional<NodeSeen> here) {
        List<String> versions = nodes.stream()
                .flatMap(each ->
                        each.at("status", "nodeInfo", "kubeletVersion").text().map(RuntimeNames::number).stream())
                .distinct()
                .sorted()
                .toList();
        return versions.isEmpty()
                ? here.map(KubeletJudge::remembered).orElseGet(() -> Evidence.unknown("no Node says"))
                : Evidence.known(String.join(", ", versions));
    }

    private static Evidence<String> remembered(NodeSeen here) {
        return here.kubeletVersion().map(version -> RuntimeNames.number(version));
    }

    private static ComponentHealth kubeletHealth(List<Json> nodes, Optional<NodeSeen> here) {
        List<ComponentHealth> known = new ArrayList<>();
        if (!nodes.isEmpty()) {
            known.add(ofNodes(nodes));
        }
        here.filter(seen -> seen.kubeletRuns() instanceof Known<Boolean>)
                .map(seen -> ofProcess(seen, nodes.size() > 1))
                .ifPresent(known::add);
        return known.stream()
                .reduce((one, other) -> other.grade().compareTo(one.grade()) > 0 ? other : one)
                .orElseGet(ComponentHealth::unknown);
    }

    /** How many are not ready, where some are not, and under which pressure the others are. */
    private static ComponentHealth ofNodes(List<Json> nodes) {
        List<Ill> ills = ills(nodes);
        long ready = nodes.size() - ills.stream().filter(Ill::isOff).count();
        String text = nodes.size() == 1 ? (ready == 1 ? "ready" : "not ready") : ready + "/" + nodes.size() + " ready";
        if (ills.isEmpty()) {
            return ComponentHealth.good(text);
        }
        Stream<String> pressures = ills.stream()
                .filter(ill -> !ill.isOff())
                .map(Ill::type)
                .distinct()
                .sorted();
        return ComponentHealth.bad(Stream.concat(ready < nodes.size() ? Stream.of(text) : Stream.empty(), pressures)
                .collect(Collectors.joining(", ")));
    }

    private static ComponentHealth ofProcess(NodeSeen here, boolean isOneOfSeveral) {
        return here.kubeletRuns().is(yes -> yes)
                ? ComponentHealth.good("running")
                : ComponentHealth.bad("does not run" + (isOneOfSeveral ? " on " + here.name() : ""));
    }

    static boolean isReady(Json each) {
        return readiness(each)
                .filter(condition -> condition.at("status").equals(Json.text("True")))
                .isPresent();
    }

    /** Disk, memory or process IDs run out: pods are evicted and none is admitted, while the node stays Ready. */
    private static Optional<Json> pressure(Json each) {
        return each.at("status", "conditions").items().stream()
                .filter(condition -> condition.at("type").text().orElse("").endsWith("Pressure")
                        && condition.at("status").equals(Json.text("True")))
                .findFirst();
    }

    private static Optional<Json> readiness(Json each) {
        return each.at("status", "conditions").items().stream()
                .filter(condition -> condition.at("type").equals(Json.text(READY)))
                .findFirst();
    }

    static Evidence<List<DatedCertificate>> certificates(
            Evidence<NodeSeen> node, Function<NodeCertificates, List<DatedCertificate>> which) {
        return switch (node) {
            case Unknown<NodeSeen> _ -> Evidence.unknown(ELSEWHERE);
            case Known<NodeSeen>(NodeSeen seen) -> seen.certificates().map(which);
        };
    }
}
