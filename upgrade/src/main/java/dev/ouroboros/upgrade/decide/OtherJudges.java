package dev.ouroboros.upgrade.decide;

import static dev.ouroboros.upgrade.decide.PlanFinding.blocking;
import static dev.ouroboros.upgrade.decide.PlanFinding.unknown;
import static dev.ouroboros.upgrade.decide.PlanFinding.warning;

import dev.ouroboros.facts.EtcdTools;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.Manifest;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.upgrade.decide.ClusterSeen.Expiry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Obstacles to an upgrade that a single check finds: certificates, etcd, images, the target itself. */
final class OtherJudges {
    private static final Duration SOON = Duration.ofDays(30);

    /** A kubelet tells the API of this many images at most (pkg/kubelet/apis/config, nodeStatusMaxImages). */
    private static final int MOST_IMAGES_OF_A_NODE = 50;

    private static final String LOCAL = "localhost/";

    private OtherJudges() {}

    /** Problems of the target's manifests and certificates. */
    static List<PlanFinding> target(Intent intent) {
        List<PlanFinding> findings = new ArrayList<>();
        for (Problem problem : intent.problems()) {
            String next = problem.next().isEmpty() ? problem.expected() : problem.next();
            findings.add(blocking(
                    "target",
                    problem.where().isEmpty()
                            ? "Cluster document"
                            : intent.document().where(problem.where()),
                    problem.what(),
                    "the manifests of " + intent.version() + " cannot be made",
                    next.isEmpty() ? "change the Cluster document" : next));
        }
        intent.reissued()
                .forEach((path, why) -> findings.add(warning(
                        "certificates",
                        path,
                        "would be issued anew: " + why,
                        "who has the old one and not the new one is refused once the old one ends",
                        "ouro render issues it beforehand")));
        if (intent.problems().isEmpty() && intent.target() instanceof Unknown<List<Manifest>>(String why)) {
            findings.add(unknown("target", "manifests", why, "give --asset-dir and --config"));
        }
        return findings;
    }

    /** An asset directory that somebody edited, or that does not say any more what the cluster was made from. */
    static List<PlanFinding> directory(Intent intent, KubernetesVersion now) {
        List<PlanFinding> findings = new ArrayList<>();
        for (Problem edited : intent.edited()) {
            findings.add(
                    blocking("edited-files", edited.where(), edited.what(), "the edit would be lost", edited.next()));
        }
        boolean isTheTargets = !intent.isDifferent() && intent.underWay().isEmpty();
        if (isTheTargets && now.compareTo(intent.version()) != 0) {
            findings.add(
                    blocking(
                            "asset-directory",
                            "asset directory",
                            "is the one of " + intent.version() + " already, and the API server is " + now,
                            "nobody knows what the cluster was made from, so nothing would be changed",
                            "make it again what the cluster was made from (ouro render with the document of then), or give that one: --asset-dir"));
        }
        return findings;
    }

    /** An upgrade that is not finished, and objects that the target has no more. */
    static List<PlanFinding> left(Intent intent) {
        List<PlanFinding> findings = new ArrayList<>();
        intent.underWay()
                .ifPresent(upgrade -> findings.add(warning(
                        "under-way",
                        "upgrade",
                        upgrade,
                        "objects may be those of either side",
                        "ouro upgrade apply goes on with it; ouro upgrade rollback takes it back")));
        if (intent.target() instanceof Known<List<Manifest>>(List<Manifest> target)) {
            Set<ObjectName> kept = target.stream()
                    .map(manifest -> ObjectName.of(manifest.object()))
                    .collect(Collectors.toSet());
            List<ObjectName> gone = intent.base().orElse(List.of()).stream()
                    .filter(manifest -> !manifest.object().at("immutable").isTrue())
                    .map(manifest -> ObjectName.of(manifest.object()))
                    .filter(name -> !kept.contains(name))
                    .toList();
            if (!gone.isEmpty()) {
                findings.add(warning(
                        "left-behind",
                        "target",
                        "has no more: "
                                + gone.stream().map(ObjectName::toString).collect(Collectors.joining(", ")),
                        "they stay as they are, and what they run goes on",
                        "kubectl delete each, once nobody needs it"));
            }
        }
        return findings;
    }

    static List<PlanFinding> certificates(ClusterSeen seen) {
        List<PlanFinding> findings = new ArrayList<>();
        if (seen.certificates() instanceof Unknown<List<Expiry>>(String why)) {
            findings.add(unknown("certificates", "asset directory", why, "give --asset-dir"));
        }
        for (Expiry expiry : seen.certificates().orElse(List.of())) {
            Duration left = Duration.between(seen.at(), expiry.notAfter());
            if (left.isNegative()) {
                findings.add(blocking(
                        "certificates",
                        expiry.where(),
                        expiry.subject() + " ended at " + expiry.notAfter(),
                        "who uses it is refused",
                        "ouro render, with the same configuration and directory, issues it anew"));
            } else if (left.compareTo(SOON) < 0) {
                findings.add(warning(
                        "certificates",
                        expiry.where(),
                        expiry.subject() + " ends at " + expiry.notAfter() + ", in " + left.toDays() + " days",
                        "an upgrade that drags on ends with it",
                        "ouro render issues it anew when it has ended; kubelets renew their own"));
            }
        }
        return findings;
    }

    static List<PlanFinding> etcd(Members members, KubernetesVersion target, EtcdTools etcd) {
        List<PlanFinding> findings = new ArrayList<>();
        etcd.oldestFor(target)
                .ifPresent(
                        oldest -> members.found().stream()
                                .filter(member -> member.component() == Component.ETCD)
                                .filter(member -> member.version().compareTo(oldest.etcd()) < 0)
                                .forEach(
                                        member -> findings.add(
                                                warning(
                                                        "etcd",
                                                        member.describe(),
                                                        "Kubernetes " + target.minorName() + " is tested with etcd "
                                                                + oldest.etcd().number() + " and later ("
                                                                + oldest.source() + ")",
                                                        "an API server starts with it, but nobody has tried everything",
                                                        "upgrade etcd first, one minor version at a time, with a snapshot before each: spec.etcd.image of ControlPlane/cluster where the steward manages it, else ouro etcd change (docs/etcd.md)"))));
        return findings;
    }

    /** Across minor versions only the snapshot leads back, and not everywhere. */
    static List<PlanFinding> wayBack(ClusterSeen seen, Intent intent, Members members, KubernetesVersion now) {
        int etcd = Math.max(
                EtcdMembership.count(seen.workloads().orElse(intent.base().orElse(List.of()))),
                (int) members.found().stream()
                        .filter(member -> member.component() == Component.ETCD)
                        .count());
        return etcd > 1 && !now.minorName().equals(intent.served().minorName())
                ? List.of(warning(
                        "way-back",
                        "etcd",
                        "has " + etcd + " members, and " + intent.served().minorName()
                                + " is another minor version than " + now.minorName(),
                        "there is no way back across minor versions: only the snapshot leads back, and 'ouro upgrade rollback' does not"
                                + " restore several members",
                        "try it on another cluster first (ouro up --snapshot FILE); from 1.31 on --emulated-version first, which can be taken"
                                + " back; in need " + EtcdMembership.BY_HAND))
                : List.of();
    }

    static List<PlanFinding> images(ClusterSeen seen, Intent intent) {
        List<PlanFinding> findings = new ArrayList<>();
        Set<String> wanted = new LinkedHashSet<>();
        intent.target().orElse(List.of()).stream()
                .filter(manifest ->
                        manifest.kind().equals("DaemonSet") || manifest.kind().equals("Deployment"))
                .forEach(manifest -> wanted.addAll(manifest.images()));
        seen.nodes().orElse(List.of()).stream()
                .filter(NodeJudge::isControlPlane)
                .forEach(node -> images(intent, node, wanted, findings));
        return findings;
    }

    private static void images(Intent intent, Json node, Set<String> wanted, List<PlanFinding> findings) {
        String object = "Node " + node.at("metadata", "name").text().orElse("?");
        List<String> absent = new ArrayList<>();
        List<String> unknown = new ArrayList<>();
        for (String image : wanted) {
            switch (present(node, image)) {
                case Unknown<Boolean> _ -> unknown.add(image);
                case Known<Boolean>(Boolean isPresent) -> {
                    if (!isPresent) {
                        absent.add(image);
                    }
                }
            }
        }
        if (!unknown.isEmpty()) {
            findings.add(unknown(
                    "images",
                    object,
                    "the node tells of its largest images only, and these are not among them: "
                            + String.join(", ", unknown),
                    "crictl images on the node"));
        }
        List<String> ours =
                absent.stream().filter(image -> image.startsWith(LOCAL)).toList();
        List<String> others =
                absent.stream().filter(image -> !image.startsWith(LOCAL)).toList();
        if (intent.loadsImages() && !ours.isEmpty()) {
            findings.add(warning(
                    "images",
                    object,
                    "has not yet " + String.join(", ", ours),
                    "",
                    "apply makes them of --binaries DIR and loads them; or load them first: ouro images load"));
        } else if (!ours.isEmpty()) {
            findings.add(blocking(
                    "images",
                    object,
                    "has not " + String.join(", ", ours),
                    "there is no registry that they could be pulled from",
                    "ouro images build, then ouro images load on the node"));
        }
        if (!others.isEmpty()) {
            findings.add(warning(
                    "images",
                    object,
                    "has not " + String.join(", ", others),
                    "the kubelet pulls them while the upgrade waits, if it can",
                    "crictl pull them beforehand"));
        }
    }

    private static Evidence<Boolean> present(Json node, String image) {
        List<Json> listed = node.at("status", "images").items();
        boolean isListed = listed.stream()
                .flatMap(each -> each.at("names").items().stream())
                .anyMatch(each -> each.equals(Json.text(image)));
        if (isListed) {
            return Evidence.known(true);
        }
        return listed.size() < MOST_IMAGES_OF_A_NODE && !listed.isEmpty()
                ? Evidence.known(false)
                : Evidence.unknown("the node tells of its " + listed.size() + " largest images only");
    }
}
