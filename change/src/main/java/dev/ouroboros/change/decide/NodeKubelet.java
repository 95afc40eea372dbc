package dev.ouroboros.change.decide;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.kubelet.KubeletReport;
import dev.ouroboros.model.kubelet.KubeletWish;
import dev.ouroboros.model.version.KubernetesVersion;
import java.util.Optional;

/**
 * What a Node says of its kubelet.
 *
 * @param node as the API has it
 * @param isReady whether its condition Ready is true
 */
public record NodeKubelet(Json node, boolean isReady) {
    private static final String PREFERS = "PreferNoSchedule";
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

    /** Whether what is wished runs, as far as that was said. */
    public boolean isSettled() {
        return reportOf(wish())
                .filter(report -> report.state() == KubeletReport.State.RUNNING)
                .isPresent();
    }

    /** Whether what is wished will not run, as far as that was said. */
    public boolean isGivenUp() {
        return reportOf(wish())
                .filter(report ->
                        report.state() == KubeletReport.State.FAILED || report.state() == KubeletReport.State.REFUSED)
                .isPresent();
    }

    /** Of the program that is wished; empty where none is. */
    public Optional<KubernetesVersion> wishedVersion() {
        try {
            return KubeletWish.read(wish()).program().flatMap(program -> KubernetesVersion.parse(program.version()));
        } catch (MalformedJson e) {
            // Nobody knows which.
            return Optional.empty();
        }
    }

    /** Digest of the program that a wish needs, where the node's keeper or agent says that it was not brought there. */
    Optional<String> missingProgram(String text) {
        try {
            return KubeletWish.read(text)
                    .program()
                    .map(KubeletWish.Program::digest)
                    .filter(digest ->
                            report().filter(said -> said.lacks(digest)).isPresent());
        } catch (MalformedJson e) {
            // It is the node's to refuse.
            return Optional.empty();
        }
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

    /** Whether it takes no pods, whoever asked for that. */
    public boolean isCordoned() {
        return node.at("spec", "unschedulable").isTrue();
    }

    /** Whether it takes no pods because we asked for that. */
    public boolean isCordonedByUs() {
        return isCordoned() && cordonedBy().isPresent();
    }

    /** For which change we asked that it takes no pods; it may take some again since, as somebody else wanted. */
    public Optional<KubeletChange> cordonedBy() {
        return annotation(KubeletWish.CORDON_ANNOTATION).flatMap(KubeletChange::read);
    }

    /** Whether a pod without tolerations may come to it. */
    boolean takesPods() {
        return isReady
                && !isCordoned()
                && node.at("spec", "taints").items().stream()
                        .flatMap(taint -> taint.at("effect").text().stream())
                        .allMatch(PREFERS::equals);
    }

    /** The text of what its kubelet runs as: of what is wished, or, where that does not run, of what was before. */
    public String runs() {
        boolean isFormer = reportOf(wish())
                .filter(report -> switch (report.state()) {
                    case RUNNING, TRYING, UNMANAGED -> false;
                    case FAILED, REFUSED, WAITING -> true;
                })
                .isPresent();
        return isFormer
                ? change().filter(change -> !change.isTakenBack())
                        .map(KubeletChange::before)
                        .orElseGet(this::wish)
                : wish();
    }

    private Optional<String> annotation(String name) {
        return node.at("metadata", "annotations", name).text();
    }
}
