package dev.ouroboros.node.clock;

import java.time.Duration;

/**
 * How often something is looked at again. What a look costs, here and at whoever is asked, delays everybody on a slow machine: there it is
 * taken less often.
 *
 * @param perLook how many times as long as a look the pause after it is
 * @param shortest pause
 * @param longest pause
 */
public record LookInterval(int perLook, Duration shortest, Duration longest) {
    /** @param look how long it took */
    public Duration pauseAfter(Duration look) {
        Duration wanted = look.multipliedBy(perLook);
        Duration bounded = wanted.compareTo(longest) < 0 ? wanted : longest;
        return bounded.compareTo(shortest) < 0 ? shortest : bounded;
    }
}
