package dev.ouroboros.cli;

import dev.ouroboros.keeper.api.EventReason;
import dev.ouroboros.keeper.decide.ChangeReport;
import dev.ouroboros.keeper.decide.ChangeStep;
import dev.ouroboros.keeper.decide.CheckpointSummary;
import dev.ouroboros.keeper.decide.Condition;
import dev.ouroboros.keeper.decide.Reason;
import dev.ouroboros.keeper.report.DecisionLog;
import dev.ouroboros.keeper.report.Metrics;
import dev.ouroboros.model.checkpoint.PodIdentity;
import dev.ouroboros.model.checkpoint.Understudy;
import dev.ouroboros.model.kubelet.KubeletReport;
import dev.ouroboros.model.kubelet.KubeletWish;
import dev.ouroboros.model.manifest.Rotation;
import dev.ouroboros.model.manifest.SecretFiles;
import dev.ouroboros.render.manifest.TokenExpiry;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The part of the reference that is about names in a cluster: annotations and labels, metrics, Events, reasons of decisions. */
final class KeeperReference {
    private static final String METRIC = "# TYPE ";
    private static final String HELP = "# HELP ";

    private KeeperReference() {}

    /** Where each is, who sets it, and what it means. A test compares with every such name in the sources. */
    static SortedMap<String, String> names() {
        SortedMap<String, String> names = new TreeMap<>(Map.of(
                PodIdentity.CHECKPOINT_ANNOTATION,
                "on a pod's template, by people and `render`: `\"true\"` asks the keeper for an understudy. bootkube's"
                        + " `" + PodIdentity.BOOTKUBE_ANNOTATION + "` counts where this one is not",
                ChangeReport.PAUSED_ANNOTATION,
                "on DaemonSet kube-apiserver, by people: `\"true\"` begins no change and takes back what was not carried out",
                ChangeReport.RETRY_ANNOTATION,
                "on DaemonSet kube-apiserver, by people: another value than before tries a revision again that failed",
                ChangeReport.STATE_ANNOTATION,
                "on DaemonSet kube-apiserver, by the keeper: where the change stands",
                ChangeReport.REVISION_ANNOTATION,
                "on DaemonSet kube-apiserver, by the keeper: which revision it is about",
                ChangeReport.MESSAGE_ANNOTATION,
                "on DaemonSet kube-apiserver, by the keeper: what it waits for, or why it ended",
                ChangeReport.NODE_ANNOTATION,
                "on DaemonSet kube-apiserver, by the keeper: on which node",
                ChangeReport.TRIED_ANNOTATION,
                "on DaemonSet kube-apiserver, by the keeper: what `" + ChangeReport.RETRY_ANNOTATION + "` was then",
                ChangeReport.SINCE_ANNOTATION,
                "on DaemonSet kube-apiserver, by the keeper: since when, RFC 3339",
                TokenExpiry.ANNOTATION,
                "on a bootstrap token's Secret in `manifests/`, by `render`: how long it is good after `start`"));
        names.putAll(Map.of(
                Understudy.LABEL,
                "a label of static pods that stand in: the component's name, or `\"true\"` on those of `start`",
                Understudy.OWNER_ANNOTATION,
                "on static manifests: `start` or `keeper` wrote it, and may remove it",
                Understudy.REVISION_ANNOTATION,
                "on an understudy: the revision of the checkpoint that it was made from",
                Understudy.COMPONENT_ANNOTATION,
                "on an understudy: whom it stands in for",
                Understudy.START_ANNOTATION,
                "on an understudy: when it was started",
                "ouroboros.dev/understudy-ports",
                "on a pod's template, by people: `flag=port[,flag=port]`, where its understudy listens",
                "ouroboros.dev/proof",
                "on a ConfigMap that a candidate is asked to create without carrying it out (`dry-run`); never stored",
                "ouroboros.dev/synced",
                "a label of images in containerd: their unpacked files were synced to the disk"));
        names.put(
                CheckpointSummary.ANNOTATION,
                "on a Node, by its keeper: which checkpoints are on its disk, and since when, in JSON; for `ouro status`");
        names.put(
                "ouroboros.dev/etcd-member",
                "signer of a CertificateSigningRequest by which a node asks for the certificate of a member of etcd; as its annotation, by `ouro etcd add`: what the node may start,"
                        + " signed with etcd's authority, or why it may start nothing any more");
        names.put(
                "ouroboros.dev/pulls-images-for",
                "a label of the pods by which `ouro upgrade apply` has images pulled ahead: whose they are");
        names.put(
                "ouroboros.dev/dns",
                "a label of the pods of cluster DNS, by `render`: which provider's they are; the Service `kube-dns` selects by it");
        names.put(
                KubeletWish.ANNOTATION,
                "on a Node, by people, `ouro kubelet set` or the steward: what its kubelet is to be, in JSON ([kubelet.md](kubelet.md))");
        names.put(
                KubeletReport.ANNOTATION,
                "on a Node, by its keeper or agent: how that stands, in JSON; for `ouro kubelet status`");
        names.put(
                KubeletWish.BEFORE_ANNOTATION,
                "on a Node, by `ouro kubelet set` or the steward: by which change it got what is wished, and what ran before, in JSON; for `ouro kubelet rollback`");
        names.put(
                KubeletWish.CORDON_ANNOTATION,
                "on a Node, by `ouro kubelet set` or the steward: it takes no pods until its kubelet is another one, because they asked for that");
        names.put(
                SecretFiles.RENEWS,
                "on a Secret with certificates that were issued again: the Secret that it is made of, so that whoever goes on takes it");
        names.put(
                SecretFiles.AUTHORITY_LABEL,
                "on a Secret of kube-system that `ouro change rotate-authority` made: whose authority's certificate and key it has; no pod mounts it");
        for (Rotation rotation : Rotation.values()) {
            names.put(
                    "ouroboros.dev/rotates-" + rotation.word() + "-to",
                    "on a Secret that `ouro change` made: the key, or authority, that the steps lead to");
        }
        return names;
    }

    static String text() {
        StringBuilder text = new StringBuilder("\n## Annotations and labels\n\n| name | |\n|--|--|\n");
        names().forEach((name, meaning) -> row(text, "`" + name + "`", meaning));
        text.append("\n## Events\n\nOf the keeper, about its Node, a pod there, or DaemonSet kube-apiserver.\n\n")
                .append("| reason | type | |\n|--|--|--|\n");
        for (EventReason reason : EventReason.values()) {
            row(text, "`" + reason.word() + "`", reason.isWarning() ? "Warning" : "Normal", reason.meaning());
        }
        for (ChangeStep step : ChangeStep.values()) {
            row(text, "`Change" + step.word() + "`", step.isBad() ? "Warning" : "Normal", step.description());
        }
        text.append("\n## Metrics\n\nOf the keeper, at `http://127.0.0.1:26445/metrics` of its node.\n\n")
                .append("| name | type | |\n|--|--|--|\n");
        metrics(text);
        text.append(
                "\n## Reasons\n\nOf the keeper's actions: in its log, in `/decisions`, in `ouro explain`, and in lower case as label"
                        + " `reason`.\n\n| reason | |\n|--|--|\n");
        for (Reason reason : Reason.values()) {
            row(text, "`" + reason + "`", reason.description());
        }
        return text.toString();
    }

    private static void metrics(StringBuilder text) {
        String help = "";
        for (String line : page().lines().toList()) {
            if (line.startsWith(HELP)) {
                help = line.substring(line.indexOf(' ', HELP.length()) + 1);
            } else if (line.startsWith(METRIC)) {
                String[] words = line.substring(METRIC.length()).split(" ", 2);
                row(text, "`" + words[0] + "`", words[1], help);
            }
        }
        row(text, "label `condition`", "", words(Condition.values()));
        row(text, "label `step`", "", words(ChangeStep.values()));
    }

    private static String words(Enum<?>[] values) {
        StringBuilder words = new StringBuilder();
        for (Enum<?> value : values) {
            words.append(words.isEmpty() ? "`" : ", `")
                    .append(value.name().toLowerCase(Locale.ROOT))
                    .append('`');
        }
        return words.toString();
    }

    /** As the keeper of no component writes it. */
    private static String page() {
        return new Metrics(
                        new DecisionLog(() -> Instant.EPOCH),
                        Map::of,
                        () -> ChangeStep.NONE,
                        Map::of,
                        new Metrics.Readings(() -> 0, () -> 0, () -> 0, () -> 0, () -> 0, () -> 0))
                .text();
    }

    private static void row(StringBuilder text, String... cells) {
        text.append("| ").append(String.join(" | ", cells)).append(" |\n");
    }
}
