package dev.ouroboros.node.action;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Collectors;

/**
 * Performs decided actions, which are decided again and again. Actions that could disturb each other share a lane and run in the order decided; a
 * slow one holds up no other lane. An action that is under way is not begun again. One that failed is begun again after a pause that doubles, up to a
 * longest one.
 *
 * <p>The look after an action belongs to it: an action counts as done only when its effect was looked at, and no action begins on an observation that
 * is older than the end of the same action before, so that it is not done twice. An action whose effect is shown later is not repeated before that
 * had time; this time doubles too, because a server may accept a request and not carry it out.
 *
 * <p>An action that waits in its lane is dropped if the latest decision does not ask for it any more when its turn comes: the state that it was
 * decided on has passed, and its opposite may have been done in another lane. It is dropped as well if there was no decision for long because the
 * process stood still: then, too, that state may have passed.
 *
 * @param <A> identifies actions
 */
public final class ActionRunner<A> implements AutoCloseable {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
    private static final Duration FIRST_TIME_TO_SHOW = Duration.ofSeconds(1);
    private static final Duration LONGEST_TIME_TO_SHOW = Duration.ofSeconds(30);

    private final Lanes lanes;
    private final Runnable changed;
    private final Settings settings;
    private final InstantSource clock;
    private final Set<A> underWay = ConcurrentHashMap.newKeySet();
    private final Map<A, Failure> failures = new ConcurrentHashMap<>();
    private final Map<A, Pause> timesToShow = new ConcurrentHashMap<>();
    private final Map<A, Instant> ended = new ConcurrentHashMap<>();
    private volatile Wanted<A> wanted;
    private volatile boolean nothingElse;

    /**
     * @param longestPause between two tries of an action that fails
     * @param oldAfter how old a decision may be on which a waiting action is still begun: longer than any pause between two decisions
     */
    public record Settings(Duration longestPause, Duration oldAfter) {}

    /** What the latest decision asks for. */
    private record Wanted<A>(Set<A> actions, Instant at) {
        Wanted {
            actions = Set.copyOf(actions);
        }
    }

    private record Failure(Pause pause, String why) {}

    private record Pause(Instant until, Duration length) {}

    /** @param changed called after each action, also one that was dropped */
    public ActionRunner(Lanes lanes, Runnable changed, Settings settings, InstantSource clock) {
        this.lanes = lanes;
        this.changed = changed;
        this.settings = settings;
        this.clock = clock;
        this.wanted = new Wanted<>(Set.of(), clock.instant());
    }

    /**
     * Takes a decision: forgets failures of actions that are not wanted any more, drops such actions where they still wait, and begins the wanted
     * ones.
     *
     * @param observed when the look began that this was decided on
     */
    public void take(List<? extends Task<A>> tasks, Instant observed) {
        wanted = new Wanted<>(tasks.stream().map(Task::action).collect(Collectors.toSet()), clock.instant());
        failures.keySet().retainAll(wanted.actions());
        timesToShow.keySet().retainAll(wanted.actions());
        ended.keySet().retainAll(wanted.actions());
        tasks.forEach(task -> begin(task, observed));
    }

    /** Begins an action, unless it is under way, or failed or was done a moment ago. */
    private void begin(Task<A> task, Instant observed) {
        A action = task.action();
        if (nothingElse || !underWay.add(action)) {
            return;
        }
        // Asked for after it is known not to be under way: it may have ended since the look.
        Failure failure = failures.get(action);
        Pause timeToShow = timesToShow.get(action);
        Instant end = ended.get(action);
        boolean tooSoon = (failure != null && isNotOver(failure.pause()))
                || (timeToShow != null && isNotOver(timeToShow))
                || (end != null && end.isAfter(observed));
        if (tooSoon) {
            underWay.remove(action);
            return;
        }
        nothingElse = task.kind() == Task.Kind.LAST;
        try {
            lanes.execute(task.lane(), () -> perform(task));
        } catch (RejectedExecutionException e) {
            // The process stops.
            underWay.remove(action);
        }
    }

    private boolean isWanted(Task<A> task) {
        Wanted<A> latest = wanted;
        boolean old = clock.instant().isAfter(latest.at().plus(settings.oldAfter()));
        return task.kind() == Task.Kind.DECIDED_ONCE || (latest.actions().contains(task.action()) && !old);
    }

    private void perform(Task<A> task) {
        A action = task.action();
        if (!isWanted(task)) {
            task.dropped();
            goOn(task);
            underWay.remove(action);
            // It may have been wanted again meanwhile, and was not begun.
            changed.run();
            return;
        }
        try {
            task.perform().ifPresentOrElse(why -> failed(task, why), () -> done(task));
        } catch (RuntimeException e) {
            // A defect must not end the lane.
            task.defect(e);
            failed(task, e.toString());
        } finally {
            underWay.remove(action);
            changed.run();
        }
    }

    private void done(Task<A> task) {
        A action = task.action();
        failures.remove(action);
        ended.put(action, clock.instant());
        if (task.kind() == Task.Kind.SHOWN_LATER) {
            timesToShow.merge(
                    action,
                    from(FIRST_TIME_TO_SHOW),
                    (before, _) -> from(doubled(before.length(), LONGEST_TIME_TO_SHOW)));
        }
    }

    private void failed(Task<A> task, String why) {
        Failure before = failures.get(task.action());
        Duration pause = before == null ? FIRST_PAUSE : doubled(before.pause().length(), settings.longestPause());
        goOn(task);
        failures.put(task.action(), new Failure(from(pause), why));
        if (before == null || !before.why().equals(why)) {
            task.failed(why);
        }
    }

    private void goOn(Task<A> task) {
        if (task.kind() == Task.Kind.LAST) {
            nothingElse = false;
        }
    }

    private Pause from(Duration length) {
        return new Pause(clock.instant().plus(length), length);
    }

    private boolean isNotOver(Pause pause) {
        return clock.instant().isBefore(pause.until());
    }

    private static Duration doubled(Duration pause, Duration longest) {
        Duration doubled = pause.multipliedBy(2);
        return doubled.compareTo(longest) < 0 ? doubled : longest;
    }

    /** Actions that failed, each with the reason, for people. */
    public Map<A, String> failing() {
        Map<A, String> result = new HashMap<>();
        failures.forEach((action, failure) -> result.put(action, failure.why()));
        return result;
    }

    @Override
    public void close() {
        lanes.close();
    }
}
