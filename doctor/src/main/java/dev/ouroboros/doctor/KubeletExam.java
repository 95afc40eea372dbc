package dev.ouroboros.doctor;

import dev.ouroboros.model.ailment.Ailment;
import dev.ouroboros.model.ailment.Finding;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.kubelet.KubeletReport;
import dev.ouroboros.model.kubelet.KubeletWish;
import dev.ouroboros.upgrade.decide.ClusterSeen;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Whether each node runs the kubelet that its Node asks for. */
final class KubeletExam {
    private static final String CHECK = Ailment.KUBELET_IS_NOT_AS_WISHED.check();

    private KubeletExam() {}

    static List<Finding> of(ClusterChart chart) {
        return switch (chart.cluster().flatMap(ClusterSeen::nodes)) {
            case Unknown<List<Json>>(String why) -> List.of(Finding.unknown(CHECK, why));
            case Known<List<Json>>(List<Json> nodes) -> judge(nodes);
        };
    }

    private static List<Finding> judge(List<Json> nodes) {
        List<Finding> findings = new ArrayList<>();
        List<String> good = new ArrayList<>();
        for (Json node : nodes) {
            String name = "Node " + node.at("metadata", "name").text().orElse("?");
            Optional<KubeletReport> report = KubeletReport.ofNode(node);
            boolean isWished = node.at("metadata", "annotations", KubeletWish.ANNOTATION)
                    .text()
                    .isPresent();
            if (report.isEmpty()) {
                findings.addAll(
                        isWished
                                ? List.of(Finding.unknown(CHECK, name + ": neither keeper nor agent has said so"))
                                : List.of());
                continue;
            }
            String said = name + ": " + report.get().state().word()
                    + (report.get().message().isEmpty()
                            ? ""
                            : ", " + report.get().message());
            switch (report.get().state()) {
                case RUNNING -> good.add(name);
                case UNMANAGED -> findings.addAll(isWished ? List.of(Finding.unknown(CHECK, said)) : List.of());
                case WAITING, TRYING -> findings.add(Finding.unknown(CHECK, said));
                case FAILED, REFUSED -> findings.add(Ailment.KUBELET_IS_NOT_AS_WISHED.seen(said));
            }
        }
        if (findings.isEmpty()) {
            findings.add(Finding.ok(
                    CHECK, good.isEmpty() ? "nothing is wished of any" : "as is wished: " + String.join(", ", good)));
        }
        return findings;
    }
}
