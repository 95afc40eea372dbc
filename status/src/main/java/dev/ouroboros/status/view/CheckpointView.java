package dev.ouroboros.status.view;

import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.status.model.CheckpointSlots;
import dev.ouroboros.status.model.ComponentHealth.Grade;
import dev.ouroboros.status.model.ComponentStatus;
import dev.ouroboros.status.model.NodeCheckpoints;
import dev.ouroboros.status.model.Report;
import dev.ouroboros.status.model.Slot;
import dev.ouroboros.status.view.Columns.Cell;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Checkpoints for people: in a column of the table, and where there are several nodes in a table of their own, one column per node. */
final class CheckpointView {
    private static final int SHORT_REVISION = 8;
    private static final String NOTHING = "-";
    private static final Cell UNKNOWN = Cell.of("?", Grade.UNKNOWN);

    private final Report report;
    private final boolean wide;
    private final SortedSet<String> nodes = new TreeSet<>();

    CheckpointView(Report report, boolean wide) {
        this.report = report;
        this.wide = wide;
        report.components().forEach(component -> component.knownCheckpoints().forEach(each -> nodes.add(each.node())));
    }

    /** For one node its slots, for several nodes how many have a last-good checkpoint. */
    Cell cell(ComponentStatus component) {
        if (component.checkpoints().isEmpty()) {
            return Cell.of(NOTHING);
        }
        List<NodeCheckpoints> all = component.knownCheckpoints();
        if (all.size() <= 1) {
            return all.isEmpty() ? UNKNOWN : slots(all.getFirst(), false);
        }
        long proven = all.stream()
                .filter(each -> each.slots().is(saved -> saved.lastGood().isPresent()))
                .count();
        String text = proven + "/" + all.size() + " last-good";
        return worst(all).map(grade -> Cell.of(text, grade)).orElseGet(() -> Cell.of(text));
    }

    private Optional<Grade> worst(List<NodeCheckpoints> all) {
        return all.stream().flatMap(each -> slots(each, false).grade().stream()).max(Grade::compareTo);
    }

    private Cell slots(NodeCheckpoints checkpoints, boolean revisions) {
        return switch (checkpoints.slots()) {
            case Unknown<CheckpointSlots> _ -> UNKNOWN;
            case Known<CheckpointSlots>(CheckpointSlots saved) -> {
                List<String> slots = new ArrayList<>();
                saved.lastGood().ifPresent(slot -> slots.add(text("last-good", slot, revisions)));
                saved.candidate().ifPresent(slot -> slots.add(text("candidate", slot, revisions)));
                yield slots.isEmpty() ? Cell.of("none", Grade.BAD) : Cell.of(String.join(", ", slots));
            }
        };
    }

    private String text(String name, Slot slot, boolean revision) {
        return name
                + slot.savedAt().map(at -> " " + Age.since(at, report.at())).orElse("")
                + (revision ? " " + shortened(slot.revision()) : "");
    }

    private static String shortened(String revision) {
        return revision.substring(0, Math.min(revision.length(), SHORT_REVISION));
    }

    /** All revisions, each once. */
    static String revisions(ComponentStatus component) {
        String all = component.knownCheckpoints().stream()
                .flatMap(each -> each.slots() instanceof Known<CheckpointSlots>(CheckpointSlots saved)
                        ? Stream.of(saved.lastGood(), saved.candidate())
                        : Stream.empty())
                .flatMap(Optional::stream)
                .map(slot -> shortened(slot.revision()))
                .distinct()
                .collect(Collectors.joining(","));
        return all.isEmpty() ? NOTHING : all;
    }

    /** Empty for fewer than two nodes: then the other table says all. */
    String table(Palette palette) {
        if (nodes.size() < 2) {
            return "";
        }
        Columns columns = new Columns(palette);
        List<Cell> headings = new ArrayList<>(List.of(Cell.of("CHECKPOINT")));
        nodes.forEach(node -> headings.add(Cell.of(node)));
        columns.row(headings);
        for (ComponentStatus component : report.components()) {
            if (component.checkpoints().isPresent()) {
                List<Cell> row = new ArrayList<>(List.of(Cell.of(component.title())));
                nodes.forEach(node -> row.add(on(node, component)));
                columns.row(row);
            }
        }
        return columns.toString();
    }

    private Cell on(String node, ComponentStatus component) {
        return component.knownCheckpoints().stream()
                .filter(each -> each.node().equals(node))
                .findFirst()
                .map(each -> slots(each, wide))
                .orElseGet(() -> Cell.of(NOTHING));
    }

    /** The name in the list of what is unknown. */
    String titleOf(ComponentStatus component, NodeCheckpoints checkpoints) {
        return "checkpoint of " + component.title() + (nodes.size() < 2 ? "" : " on " + checkpoints.node());
    }
}
