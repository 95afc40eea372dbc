package dev.ouroboros.cli.snapshot;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.cli.console.TextTable;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.snapshot.Inspection;
import dev.ouroboros.snapshot.Inspection.ControlPlaneObject;
import dev.ouroboros.snapshot.Inspection.ResourceCount;
import dev.ouroboros.snapshot.etcd.EtcdFacts;
import dev.ouroboros.snapshot.etcd.Member;
import dev.ouroboros.snapshot.etcd.Salvage;
import dev.ouroboros.snapshot.etcd.TrailingDigest;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** How {@code ouro snapshot inspect} shows what it found. */
final class SnapshotView {
    private static final Set<String> PLAIN = Set.of("identity");

    private final Inspection inspection;

    SnapshotView(Inspection inspection) {
        this.inspection = inspection;
    }

    ObjectNode data() {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        Inspection.FileFacts file = inspection.file();
        data.putObject("file")
                .put("path", file.path())
                .put("size", file.size())
                .put("databaseSize", file.databaseSize())
                .put("pageSize", file.pageSize())
                .put("transaction", file.transaction())
                .put("sha256", file.digest().name().toLowerCase(Locale.ROOT));
        etcd(data.putObject("etcd"));
        ArrayNode resources = data.putArray("resources");
        for (ResourceCount count : inspection.resources()) {
            ObjectNode node = resources
                    .addObject()
                    .put("resource", count.resource())
                    .put("objects", count.objects())
                    .put("bytes", count.bytes());
            counts(node.putObject("apiVersions"), count.versions());
            counts(
                    node.putObject("encryption"),
                    inspection.encryption().getOrDefault(count.resource(), new TreeMap<>()));
        }
        data.put("prefix", inspection.prefix()).put("otherKeys", inspection.otherKeys());
        counts(data.putObject("kubeletVersions"), inspection.kubeletVersions());
        ArrayNode controlPlane = data.putArray("controlPlane");
        for (ControlPlaneObject object : inspection.controlPlane()) {
            ObjectNode node = controlPlane
                    .addObject()
                    .put("component", object.component())
                    .put("kind", object.owner())
                    .put("name", object.name());
            object.image().ifPresent(image -> node.put("image", image));
        }
        inspection.salvage().ifPresent(salvage -> salvage(data.putObject("salvage"), salvage));
        problems(data.putArray("damage"), inspection.damage());
        problems(data.putArray("unreadable"), inspection.unreadable());
        inspection.unknownFields().forEach(data.putArray("unknownFields")::add);
        return data;
    }

    private static void salvage(ObjectNode node, Salvage salvage) {
        salvage.rootPage().ifPresent(page -> node.put("rootPage", page));
        salvage.treeRevision().ifPresent(revision -> node.put("treeRevision", revision));
        node.put("leafPages", salvage.leafPages())
                .put("overwrittenPages", salvage.overwritten())
                .put("records", salvage.records());
        salvage.missingChanges().ifPresent(changes -> node.put("missingChanges", changes));
    }

    private void etcd(ObjectNode node) {
        EtcdFacts etcd = inspection.etcd();
        node.put("writtenBy", etcd.writtenBy());
        if (inspection.salvage().isEmpty()) {
            node.put("hash", inspection.status().hash());
        }
        node.put("revision", inspection.status().revision())
                .put("liveKeys", inspection.liveKeys())
                .put("entries", inspection.status().entries());
        etcd.clusterVersion().ifPresent(version -> node.put("clusterVersion", version));
        etcd.storageVersion().ifPresent(version -> node.put("storageVersion", version));
        etcd.compactedRevision().ifPresent(revision -> node.put("compactedRevision", revision));
        etcd.scheduledCompaction().ifPresent(revision -> node.put("scheduledCompaction", revision));
        etcd.consistentIndex().ifPresent(index -> node.put("consistentIndex", index));
        etcd.term().ifPresent(term -> node.put("term", term));
        etcd.clusterId().ifPresent(id -> node.put("clusterId", id));
        ArrayNode members = node.putArray("members");
        for (Member member : etcd.members()) {
            ObjectNode entry = members.addObject()
                    .put("id", member.id())
                    .put("name", member.name())
                    .put("learner", member.learner());
            member.peerUrls().forEach(entry.putArray("peerURLs")::add);
            member.clientUrls().forEach(entry.putArray("clientURLs")::add);
        }
        etcd.removedMembers().forEach(node.putArray("removedMembers")::add);
        etcd.alarms().forEach(node.putArray("alarms")::add);
        node.put("leases", etcd.leases()).put("authEnabled", etcd.authEnabled());
    }

    private static void counts(ObjectNode node, Map<String, Long> counts) {
        counts.forEach(node::put);
    }

    private static void problems(ArrayNode array, List<Problem> problems) {
        for (Problem problem : problems) {
            array.addObject()
                    .put("code", problem.code().name())
                    .put("where", problem.where())
                    .put("what", problem.what())
                    .put("expected", problem.expected());
        }
    }

    String table() {
        StringBuilder text = new StringBuilder(facts().toString());
        if (!inspection.controlPlane().isEmpty()) {
            TextTable table = new TextTable("COMPONENT", "KIND", "NAME", "IMAGE");
            inspection
                    .controlPlane()
                    .forEach(object -> table.row(
                            object.component(),
                            object.owner(),
                            object.name(),
                            object.image().orElse("")));
            text.append('\n').append(table);
        }
        TextTable table = new TextTable("RESOURCE", "OBJECTS", "BYTES", "STORED AS", "ENCRYPTION");
        for (ResourceCount count : inspection.resources()) {
            table.row(
                    count.resource(),
                    Long.toString(count.objects()),
                    Long.toString(count.bytes()),
                    String.join(", ", count.versions().keySet()),
                    encryption(count.resource()));
        }
        text.append('\n').append(table);
        if (inspection.otherKeys() > 0) {
            text.append(inspection.otherKeys())
                    .append(" keys are not below ")
                    .append(inspection.prefix())
                    .append('\n');
        }
        inspection.unreadable().stream()
                .filter(problem -> problem.code() == ErrorCode.KEY_MISSING)
                .forEach(problem -> text.append('\n').append(problem.describe()).append('\n'));
        inspection
                .unknownFields()
                .forEach(field ->
                        text.append("\nnot known to this ouro: ").append(field).append('\n'));
        return text.toString();
    }

    private String encryption(String resource) {
        Map<String, Long> ways = inspection.encryption().getOrDefault(resource, new TreeMap<>());
        if (ways.keySet().equals(PLAIN)) {
            return "none";
        }
        return ways.entrySet().stream()
                .map(way -> ways.size() == 1 ? way.getKey() : way.getKey() + ": " + way.getValue())
                .collect(Collectors.joining(", "));
    }

    private TextTable facts() {
        EtcdFacts etcd = inspection.etcd();
        Inspection.FileFacts file = inspection.file();
        TextTable table = new TextTable("FILE", file.path());
        table.row("size", file.size() + " bytes, pages of " + file.pageSize());
        table.row("sha-256", digest(file.digest()));
        table.row(
                "written by",
                etcd.writtenBy()
                        + etcd.clusterVersion()
                                .map(version -> ", cluster version " + version)
                                .orElse(""));
        table.row(
                "cluster id",
                etcd.clusterId()
                        .map(id -> id + ", if the first members are still the same")
                        .orElse(etcd.members().isEmpty() ? "unknown" : "unknown: members were removed"));
        for (Member member : etcd.members()) {
            table.row("member", member.id() + " " + member.name() + " " + String.join(" ", member.peerUrls()));
        }
        table.row("revision", inspection.status().revision() + compacted());
        table.row(
                "keys", inspection.liveKeys() + " live, " + inspection.status().entries() + " entries in all buckets");
        table.row("hash", hash());
        etcd.alarms().forEach(alarm -> table.row("alarm", alarm));
        if (!inspection.kubeletVersions().isEmpty()) {
            table.row(
                    "nodes",
                    inspection.kubeletVersions().entrySet().stream()
                            .map(version -> version.getValue() + " with kubelet " + version.getKey())
                            .collect(Collectors.joining(", ")));
        }
        return table;
    }

    private String hash() {
        if (inspection.salvage().isPresent()) {
            return "none: salvaged";
        }
        return inspection.status().hash() + (inspection.damage().isEmpty() ? "" : ", of what can be read");
    }

    private String compacted() {
        long oldest = inspection.etcd().oldestReadable();
        boolean unknown = inspection
                .salvage()
                .filter(salvage -> salvage.compactedRevision().isEmpty())
                .isPresent();
        return unknown
                ? ", not known when compacted"
                : oldest > 0 ? ", compacted up to " + oldest : ", never compacted";
    }

    private static String digest(TrailingDigest digest) {
        return switch (digest) {
            case RIGHT -> "right: as etcd saved it";
            case WRONG -> "WRONG: the file was changed or damaged after it was saved";
            case ABSENT -> "none: a file of a data directory, or not complete";
        };
    }
}
