package dev.ouroboros.sim;

import dev.ouroboros.node.action.Lanes;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/** Actions take time, and later ones of the same lane wait. */
final class DelayedLanes implements Lanes {
    private final Machine machine;
    private final EventTimeline.Life life;
    private final Function<String, Duration> durations;
    private final Map<String, Instant> busy = new HashMap<>();

    /**
     * @param life of the process whose actions they are
     * @param durations how long an action of a lane takes, asked for each
     */
    DelayedLanes(Machine machine, EventTimeline.Life life, Function<String, Duration> durations) {
        this.machine = machine;
        this.life = life;
        this.durations = durations;
    }

    @Override
    public void execute(String lane, Runnable action) {
        Instant free = busy.getOrDefault(lane, machine.now());
        Instant begins = free.isBefore(machine.now()) ? machine.now() : free;
        Instant done = begins.plus(durations.apply(lane));
        busy.put(lane, done);
        machine.timeline().after(life, Duration.between(machine.now(), done), action);
    }

    @Override
    public void close() {
        life.end();
    }
}
