package dev.ouroboros.change.decide;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.kubelet.KubeletReport;
import dev.ouroboros.model.kubelet.KubeletWish;
import java.util.Optional;

/**
 * What a Node says of its kubelet.
 *
 * @param node as the API has it
 * @param isReady whether its condition Ready is true
 */
public record NodeKubelet(Json node, boolean isReady) {
    private static final String ROLE = "node-role.kubernetes.io/";

    public String name() {
        return node.at("metadata", "name").text().orElse("");
    }

    /** The text of what is wished; empty where nothing is. */
    public String wish() {
        return annotation(KubeletWish.ANNOTATION).orElse("");
    }

    /** By which change it got what is wished; empty where no command of ours wished it. */
    public Optional<KubeletChange> change() {
        return annotation(KubeletWish.BEFORE_ANNOTATION).flatMap(KubeletChange::read);
    }

    /** What its keeper or agent wrote, of any wish. */
    public Optional<KubeletReport> report() {
        return annotation(KubeletReport.ANNOTATION).flatMap(KubeletReport::read);
    }

    /** What its keeper or agent wrote of a wish with this text. */
    public Optional<KubeletReport> reportOf(String text) {
        return report().filter(report -> report.wish().equals(KubeletReport.digestOf(text)));
    }

    /** As its kubelet said it last, for example {@code v1.20.2}. */
    public String version() {
        return node.at("status", "nodeInfo", "kubeletVersion").text().orElse("");
    }

    /** Whether it has a label of the control plane, by its new or its old name. */
    public boolean isControlPlane() {
        return node.at("metadata", "labels").fields().keySet().stream()
                .anyMatch(label -> label.equals(ROLE + "control-plane") || label.equals(ROLE + "master"));
    }

    private Optional<String> annotation(String name) {
        return node.at("metadata", "annotations", name).text();
    }
}
