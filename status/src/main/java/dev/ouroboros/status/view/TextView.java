package dev.ouroboros.status.view;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.status.model.Change;
import dev.ouroboros.status.model.Change.Progress;
import dev.ouroboros.status.model.ComponentHealth.Grade;
import dev.ouroboros.status.model.ComponentStatus;
import dev.ouroboros.status.model.Owner;
import dev.ouroboros.status.model.Remark;
import dev.ouroboros.status.model.Report;
import dev.ouroboros.status.model.SourceStatus;
import dev.ouroboros.status.seen.DatedCertificate;
import dev.ouroboros.status.view.Columns.Cell;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The report for people. A {@code ?} is unknown, and its reason stands below the table; a {@code -} is nothing. What is wrong stands
 * at the end, where the prompt is, the worst first; when all is well there is no such part.
 */
public final class TextView {
    private static final int SHORT_REVISION = 8;
    private static final String UNKNOWN = "?";

    private final Report report;
    private final Palette palette;
    private final boolean wide;
    private final CheckpointView checkpoints;

    private TextView(Report report, Palette palette, boolean wide) {
        this.report = report;
        this.palette = palette;
        this.wide = wide;
        this.checkpoints = new CheckpointView(report, wide);
    }

    /** @param wide with namespaces, revisions and the certificate that expires first */
    public static String of(Report report, Palette palette, boolean wide) {
        return new TextView(report, palette, wide).text();
    }

    private String text() {
        return Stream.of(sources(), table(), checkpoints.table(palette), unknown(), changes(), remarks())
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining("\n"));
    }

    private String sources() {
        Columns columns = new Columns(palette);
        for (SourceStatus source : report.sources()) {
            Cell text = source.known() ? Cell.of(source.text()) : Cell.of("unknown: " + source.text(), Grade.BAD);
            columns.row(List.of(Cell.of(source.name()), text));
            if (!source.next().isEmpty()) {
                columns.row(List.of(Cell.of(""), Cell.of("next: " + source.next())));
            }
        }
        return columns.toString();
    }

    private String table() {
        if (report.components().isEmpty()) {
            return "";
        }
        Columns columns = new Columns(palette);
        List<String> headings = new ArrayList<>(
                List.of("LAYER", "COMPONENT", "OWNER", "NODE", "VERSION", "HEALTH", "CHECKPOINT", "CERTIFICATES"));
        if (wide) {
            headings.addAll(List.of("NAMESPACE", "SINCE", "REVISION", "EXPIRES FIRST"));
        }
        columns.row(headings.stream().map(Cell::of).toList());
        report.components().forEach(component -> columns.row(row(component)));
        return columns + selfHosted();
    }

    private List<Cell> row(ComponentStatus component) {
        List<Cell> cells = new ArrayList<>(List.of(
                Cell.of(Integer.toString(component.layer().number())),
                Cell.of(component.title()),
                Cell.of(component.owner() instanceof Known<Owner>(Owner owner) ? owner.word() : UNKNOWN),
                Cell.of(component.nodes().isEmpty() ? "-" : String.join(",", component.nodes())),
                Cell.of(component.version().orElse(UNKNOWN)),
                Cell.of(component.health().text(), component.health().grade()),
                checkpoints.cell(component),
                certificates(component)));
        if (wide) {
            cells.add(Cell.of(component.namespace().isEmpty() ? "-" : component.namespace()));
            cells.add(Cell.of(component.since().map(this::age).orElse("-")));
            cells.add(Cell.of(CheckpointView.revisions(component)));
            cells.add(Cell.of(component
                    .firstToExpire()
                    .map(first -> first.subject() + " (" + first.where() + ")")
                    .orElse("-")));
        }
        return cells;
    }

    private Cell certificates(ComponentStatus component) {
        if (component.certificates() instanceof Unknown<List<DatedCertificate>>) {
            return Cell.of(UNKNOWN, Grade.UNKNOWN);
        }
        return component
                .firstToExpire()
                .map(first -> first.notAfter().isBefore(report.at())
                        ? Cell.of("expired", Grade.BAD)
                        : Cell.of(Age.between(report.at(), first.notAfter())))
                .orElse(Cell.of("-"));
    }

    private String age(Instant at) {
        return Age.since(at, report.at());
    }

    private String selfHosted() {
        TreeSet<Integer> hosted = new TreeSet<>();
        TreeSet<Integer> outside = new TreeSet<>();
        for (ComponentStatus component : report.components()) {
            if (report.isSelfHosted(component) instanceof Known<Boolean>(Boolean isHosted)) {
                (isHosted ? hosted : outside).add(component.layer().number());
            }
        }
        hosted.removeAll(outside);
        if (hosted.isEmpty()) {
            return "";
        }
        return "self-hosted: " + (hosted.size() == 1 ? "layer " : "layers ") + ranges(hosted) + "\n";
    }

    /** As in {@code 0, 2-4}. */
    private static String ranges(NavigableSet<Integer> numbers) {
        StringJoiner ranges = new StringJoiner(", ");
        for (int first : numbers) {
            if (!numbers.contains(first - 1)) {
                int last = first;
                while (numbers.contains(last + 1)) {
                    last++;
                }
                ranges.add(last == first ? String.valueOf(first) : first + "-" + last);
            }
        }
        return ranges.toString();
    }

    /** Each reason once, with all that it leaves unknown. */
    private String unknown() {
        Map<String, List<String>> byReason = new LinkedHashMap<>();
        for (ComponentStatus component : report.components()) {
            note(byReason, component.owner(), "owner of " + component.title());
            note(byReason, component.version(), "version of " + component.title());
            component.checkpoints().ifPresent(saved -> note(byReason, saved, "checkpoint of " + component.title()));
            component
                    .knownCheckpoints()
                    .forEach(each -> note(byReason, each.slots(), checkpoints.titleOf(component, each)));
            note(byReason, component.certificates(), "certificates of " + component.title());
        }
        StringBuilder text = new StringBuilder();
        byReason.forEach((reason, what) -> text.append("unknown: ")
                .append(String.join(", ", what))
                .append("\n         ")
                .append(reason)
                .append('\n'));
        return text.toString();
    }

    private static void note(Map<String, List<String>> byReason, Evidence<?> evidence, String what) {
        if (evidence instanceof Unknown<?>(String reason)) {
            byReason.computeIfAbsent(reason, _ -> new ArrayList<>()).add(what);
        }
    }

    private String changes() {
        StringBuilder text = new StringBuilder();
        for (Change change : report.changes()) {
            if (change.progress() != Progress.FAILED) {
                text.append("change:  ")
                        .append(change.component().name())
                        .append(": ")
                        .append(palette.paint(Grade.MOVING, change.stepAndNode()))
                        .append(change.since().map(at -> " for " + age(at)).orElse(""))
                        .append(change.revision()
                                .map(revision -> ", revision "
                                        + revision.substring(0, Math.min(revision.length(), SHORT_REVISION)))
                                .orElse(""))
                        .append(
                                change.message().isEmpty()
                                        ? ""
                                        : "\n         "
                                                + change.message().strip().replace("\n", "\n         "))
                        .append('\n');
            }
        }
        return text.toString();
    }

    private String remarks() {
        StringBuilder text = new StringBuilder();
        for (Remark remark : report.remarks()) {
            String word = remark.grade() == Grade.BAD ? "problem: " : "note:    ";
            text.append(palette.paint(remark.grade(), word.stripTrailing()))
                    .append(word.substring(word.stripTrailing().length()))
                    .append(remark.about())
                    .append(": ")
                    .append(remark.text().strip().replace("\n", "\n         "))
                    .append('\n');
            if (!remark.next().isEmpty()) {
                text.append("         next: ").append(remark.next()).append('\n');
            }
        }
        return text.toString();
    }
}
