package dev.ouroboros.status.view;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.status.model.Change;
import dev.ouroboros.status.model.CheckpointSlots;
import dev.ouroboros.status.model.ComponentStatus;
import dev.ouroboros.status.model.Convergence;
import dev.ouroboros.status.model.NodeCheckpoints;
import dev.ouroboros.status.model.Report;
import dev.ouroboros.status.model.Slot;
import dev.ouroboros.status.seen.DatedCertificate;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiConsumer;

/** The report for programs. What is unknown is an object with the one field {@code unknown}, which says why; what is not there is left out. */
public final class DataView {
    private final ObjectMapper json = new ObjectMapper();

    private DataView() {}

    public static ObjectNode of(Report report) {
        return new DataView().report(report);
    }

    private ObjectNode report(Report report) {
        ObjectNode root = json.createObjectNode().put("at", report.at().toString());
        convergence(root.putObject("convergence"), report.convergence());
        ArrayNode sources = root.putArray("sources");
        report.sources().forEach(source -> {
            ObjectNode one = sources.addObject()
                    .put("name", source.name())
                    .put(source.known() ? "answer" : "unknown", source.text());
            put(one, "next", source.next());
        });
        ArrayNode components = root.putArray("components");
        report.components()
                .forEach(component -> component(components.addObject(), component, report.isSelfHosted(component)));
        ArrayNode changes = root.putArray("changes");
        report.changes().forEach(change -> change(changes.addObject(), change));
        ArrayNode remarks = root.putArray("remarks");
        report.remarks().forEach(remark -> {
            ObjectNode one = remarks.addObject()
                    .put("grade", word(remark.grade()))
                    .put("about", remark.about())
                    .put("text", remark.text());
            put(one, "next", remark.next());
        });
        return root;
    }

    private static void convergence(ObjectNode node, Convergence convergence) {
        switch (convergence) {
            case Convergence.Converged() -> node.put("state", "converged");
            case Convergence.Waiting(String why) -> node.put("state", "waiting").put("why", why);
            case Convergence.Failed(String why) -> node.put("state", "failed").put("why", why);
        }
    }

    private void component(ObjectNode node, ComponentStatus component, Evidence<Boolean> selfHosted) {
        node.put("layer", component.layer().number());
        put(node, "namespace", component.namespace());
        node.put("name", component.name());
        evidence(node, "owner", component.owner(), (at, owner) -> at.put("owner", owner.word()));
        if (selfHosted instanceof Known<Boolean>(Boolean isHosted)) {
            node.put("selfHosted", isHosted);
        }
        component.nodes().forEach(node.putArray("nodes")::add);
        evidence(node, "version", component.version(), (at, version) -> at.put("version", version));
        node.putObject("health")
                .put("grade", word(component.health().grade()))
                .put("text", component.health().text());
        component.checkpoints().ifPresent(saved -> checkpoints(node, saved));
        evidence(node, "certificates", component.certificates(), DataView::certificates);
        component.since().ifPresent(since -> node.put("since", since.toString()));
        put(node, "waitsFor", component.waitsFor());
    }

    /** Writes two fields: the checkpoints of every node, and those of the node that was looked at, or the only one. */
    private static void checkpoints(ObjectNode node, Evidence<List<NodeCheckpoints>> checkpoints) {
        switch (checkpoints) {
            case Unknown<List<NodeCheckpoints>>(String why) ->
                node.putObject("checkpoint").put("unknown", why);
            case Known<List<NodeCheckpoints>>(List<NodeCheckpoints> all) -> {
                all.stream()
                        .filter(each -> all.size() == 1 || each.told().isEmpty())
                        .findFirst()
                        .ifPresent(each -> slots(node.putObject("checkpoint"), each));
                ArrayNode list = node.putArray("checkpoints");
                all.forEach(each -> checkpoints(list.addObject().put("node", each.node()), each));
            }
        }
    }

    private static void checkpoints(ObjectNode node, NodeCheckpoints each) {
        slots(node, each);
        each.told().ifPresent(told -> {
            told.at().ifPresent(at -> node.put("toldAt", at.toString()));
            put(node, "doubt", told.doubt());
        });
    }

    private static void slots(ObjectNode node, NodeCheckpoints each) {
        switch (each.slots()) {
            case Unknown<CheckpointSlots>(String why) -> node.put("unknown", why);
            case Known<CheckpointSlots>(CheckpointSlots saved) -> {
                slot(node, "lastGood", saved.lastGood());
                slot(node, "candidate", saved.candidate());
            }
        }
    }

    private static void slot(ObjectNode node, String name, Optional<Slot> slot) {
        slot.ifPresent(known -> {
            ObjectNode one = node.putObject(name).put("revision", known.revision());
            known.savedAt().ifPresent(at -> one.put("savedAt", at.toString()));
        });
    }

    private static void certificates(ObjectNode node, List<DatedCertificate> certificates) {
        ArrayNode all = node.putArray("certificates");
        for (DatedCertificate certificate : certificates) {
            all.addObject()
                    .put("where", certificate.where())
                    .put("subject", certificate.subject())
                    .put("notAfter", certificate.notAfter().toString())
                    .put("authority", certificate.isAuthority());
        }
    }

    private static void change(ObjectNode node, Change change) {
        node.put("component", change.component().toString())
                .put("step", change.step())
                .put("progress", word(change.progress()));
        change.revision().ifPresent(revision -> node.put("revision", revision));
        put(node, "message", change.message());
        put(node, "node", change.node());
        change.since().ifPresent(since -> node.put("since", since.toString()));
    }

    private static <T> void evidence(
            ObjectNode node, String field, Evidence<T> evidence, BiConsumer<ObjectNode, T> write) {
        switch (evidence) {
            case Unknown<T>(String why) -> node.putObject(field).put("unknown", why);
            case Known<T>(T value) -> write.accept(node, value);
        }
    }

    private static void put(ObjectNode node, String field, String value) {
        if (!value.isEmpty()) {
            node.put(field, value);
        }
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
