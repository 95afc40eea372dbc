package dev.ouroboros.keeper.decide;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * How long principals of this node took to be ready, which tells how long a candidate may take.
 *
 * @param pod uid of the last one that counted; empty text while none is known to be ready
 * @param slowest of all that counted; zero when nobody knows
 */
record PrincipalBoots(String pod, Duration slowest) {
    static final PrincipalBoots UNKNOWN = new PrincipalBoots("", Duration.ZERO);

    /** Beside another server, on a machine that is busy with both. */
    private static final int SLOWER = 4;

    private static final int LONGEST = 6;

    /**
     * With what these pods tell. Each counts once, when it is first seen to be ready: readiness that comes and goes later is no boot, and neither is what took longer than the longest deadline.
     */
    PrincipalBoots with(List<PrincipalPod> living, KeeperSettings settings) {
        Optional<PrincipalPod> booted = living.stream()
                .filter(found -> found.bootedIn().isPresent() && !found.uid().equals(pod))
                .findFirst();
        return booted.map(found -> new PrincipalBoots(
                        found.uid(),
                        found.bootedIn()
                                .filter(boot -> boot.compareTo(longest(settings)) <= 0)
                                .map(boot -> longer(slowest, boot))
                                .orElse(slowest)))
                .orElse(this);
    }

    /**
     * How long a candidate, and then the principal that is made like it, may take to prove itself: as the settings say, and on a machine on which principals
     * took long four times as long as that, up to six times as long as the settings say. Where all are slow, one that is slow is not bad.
     */
    Duration deadline(KeeperSettings settings) {
        Duration slow = slowest.multipliedBy(SLOWER);
        Duration bounded = slow.compareTo(longest(settings)) < 0 ? slow : longest(settings);
        return longer(settings.candidateDeadline(), bounded);
    }

    private static Duration longest(KeeperSettings settings) {
        return settings.candidateDeadline().multipliedBy(LONGEST);
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }
}
