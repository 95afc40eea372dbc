package dev.ouroboros.keeper.report;

import dev.ouroboros.keeper.decide.Action;
import dev.ouroboros.keeper.decide.Decision.Planned;
import dev.ouroboros.keeper.decide.Reason;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.json.Json;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What was done lately and why: one log line each, and the last of them kept for {@code ouro explain}. */
public final class DecisionLog {
    private static final Logger LOG = LoggerFactory.getLogger(DecisionLog.class);
    private static final int KEPT = 200;

    private final InstantSource wallClock;
    private final Deque<Entry> entries = new ArrayDeque<>();
    private final Map<Reason, Long> counts = new EnumMap<>(Reason.class);
    private final Map<Reason, Long> failures = new EnumMap<>(Reason.class);

    /**
     * @param outcome "done", or why it failed
     */
    public record Entry(
            Instant at,
            String action,
            Optional<ComponentName> component,
            String detail,
            Reason reason,
            String evidence,
            String outcome) {}

    /** @param wallClock for the times that people read */
    public DecisionLog(InstantSource wallClock) {
        this.wallClock = wallClock;
    }

    /** An action was performed. */
    public void done(Planned planned) {
        Entry entry = entry(planned, "done");
        LOG.info(
                "component={} action={} detail=\"{}\" reason={} evidence=\"{}\"",
                nameOf(entry),
                entry.action(),
                entry.detail(),
                entry.reason(),
                entry.evidence());
        keep(entry, counts);
    }

    /** An action failed; it is tried again as long as it is wanted. */
    public void failed(Planned planned, String why) {
        Entry entry = entry(planned, why);
        LOG.warn(
                "component={} action={} detail=\"{}\" reason={} evidence=\"{}\" error=\"{}\"",
                nameOf(entry),
                entry.action(),
                entry.detail(),
                entry.reason(),
                entry.evidence(),
                why);
        keep(entry, failures);
    }

    private static String nameOf(Entry entry) {
        return entry.component().map(ComponentName::toString).orElse("keeper");
    }

    private synchronized void keep(Entry entry, Map<Reason, Long> counted) {
        counted.merge(entry.reason(), 1L, Long::sum);
        entries.addLast(entry);
        if (entries.size() > KEPT) {
            entries.removeFirst();
        }
    }

    public synchronized List<Entry> entries() {
        return List.copyOf(entries);
    }

    synchronized Map<Reason, Long> counts() {
        return new EnumMap<>(counts);
    }

    synchronized Map<Reason, Long> failures() {
        return new EnumMap<>(failures);
    }

    public Json toJson() {
        return Json.object()
                .with(
                        "decisions",
                        Json.items(entries().stream()
                                .map(entry -> Json.object()
                                        .with("at", Json.text(entry.at().toString()))
                                        .with("component", Json.text(nameOf(entry)))
                                        .with("action", Json.text(entry.action()))
                                        .with("detail", Json.text(entry.detail()))
                                        .with("reason", Json.text(entry.reason().name()))
                                        .with(
                                                "because",
                                                Json.text(entry.reason().description()))
                                        .with("evidence", Json.text(entry.evidence()))
                                        .with("outcome", Json.text(entry.outcome())))));
    }

    private Entry entry(Planned planned, String outcome) {
        Action action = planned.action();
        return new Entry(
                wallClock.instant(),
                kebab(action.getClass().getSimpleName()),
                componentOf(action),
                detail(action),
                planned.reason(),
                planned.evidence(),
                outcome);
    }

    /** An action in words, as in {@code hold-lease} or {@code promote kube-system/kube-apiserver, revision 1}. */
    public static String describe(Action action) {
        String detail = detail(action);
        return kebab(action.getClass().getSimpleName())
                + componentOf(action).map(component -> " " + component).orElse("")
                + (detail.isEmpty() ? "" : ", " + detail);
    }

    static String kebab(String name) {
        return name.replaceAll("(?<=[a-z])(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
    }

    /** The component that an action is about, if it is about one. */
    public static Optional<ComponentName> componentOf(Action action) {
        return switch (action) {
            case Action.SaveCandidate(var component, var ignored) -> Optional.of(component);
            case Action.Promote(var component, var ignored) -> Optional.of(component);
            case Action.DropCandidate(var component, var ignored) -> Optional.of(component);
            case Action.Retire(var component) -> Optional.of(component);
            case Action.ReportRefusal refused -> Optional.of(refused.component());
            case Action.StartUnderstudy(var component, var ignored) -> Optional.of(component);
            case Action.StopUnderstudy(var component) -> Optional.of(component);
            case Action.CutOff(var component) -> Optional.of(component);
            case Action.RecordProven(var component, var ignored) -> Optional.of(component);
            case Action.RecordFailure(var component, var ignored) -> Optional.of(component);
            case Action.ReplacePrincipal(var component, var ignored, var other) -> Optional.of(component);
            case Action.RevertTemplate(var component, var ignored, var other) -> Optional.of(component);
            case Action.ReportChange(var component, var ignored, var other) -> Optional.of(component);
            case Action.ReleaseLeaderLease(var lease) ->
                Optional.of(new ComponentName("kube-system", lease.component().id()));
            case Action.HoldLease _,
                    Action.ReleaseLease _,
                    Action.InstallFront _,
                    Action.PointFront _,
                    Action.LetThrough _,
                    Action.WriteServiceEndpoints _,
                    Action.LabelNode _,
                    Action.PublishCheckpoints _,
                    Action.Reap _,
                    Action.FinishPivot _,
                    Action.RemoveSelf _,
                    Action.AdmitSuccessor _,
                    Action.GiveWay _ -> Optional.empty();
        };
    }

    private static String detail(Action action) {
        return switch (action) {
            case Action.SaveCandidate(var ignored, var revision) -> "revision " + revision;
            case Action.Promote(var ignored, var revision) -> "revision " + revision;
            case Action.DropCandidate(var ignored, var revision) -> "revision " + revision;
            case Action.StartUnderstudy(var ignored, var revision) -> "revision " + revision;
            case Action.ReportRefusal refused ->
                refused.problems().stream()
                        .map(dev.ouroboros.model.problem.Problem::describe)
                        .collect(java.util.stream.Collectors.joining("; "));
            case Action.PointFront(var server) -> "to the " + server.name().toLowerCase(Locale.ROOT);
            case Action.ReleaseLeaderLease(var lease) -> "of " + lease.holder();
            case Action.PublishCheckpoints(var summary) ->
                "of " + summary.components().keySet();
            case Action.Reap(var pod) -> pod.namespace() + "/" + pod.name() + " " + pod.reason();
            case Action.RecordProven(var ignored, var proven) ->
                proven.map(known -> "revision " + known.revision()).orElse("none");
            case Action.RecordFailure(var ignored, var failure) -> "revision " + failure.revision();
            case Action.ReplacePrincipal(var ignored, var uid, var name) -> name + " " + uid;
            case Action.RevertTemplate(var ignored, var failed, var previous) ->
                "from revision " + failed + " to " + previous;
            case Action.ReportChange(var ignored, var report, var other) -> report.step() + ": " + report.message();
            case Action.HoldLease _,
                    Action.ReleaseLease _,
                    Action.Retire _,
                    Action.StopUnderstudy _,
                    Action.InstallFront _,
                    Action.CutOff _,
                    Action.LetThrough _,
                    Action.WriteServiceEndpoints _,
                    Action.LabelNode _,
                    Action.FinishPivot _,
                    Action.RemoveSelf _,
                    Action.AdmitSuccessor _,
                    Action.GiveWay _ -> "";
        };
    }
}
