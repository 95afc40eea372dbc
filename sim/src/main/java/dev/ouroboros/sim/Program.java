package dev.ouroboros.sim;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.version.KubernetesVersion;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/** A process of a pod; its age tells its state. */
final class Program {
    private static final Duration LATER = Duration.ofSeconds(8);

    final Role role;
    final boolean isStatic;
    final Behaviour behaviour;
    final Instant started;
    /** When its container was made, by the clock that people set. */
    final Instant created;

    /** Whether it has a liveness probe: the kubelet then ends it when it hangs. */
    final boolean isProbed;

    private final Instant listensFrom;
    private final Instant readyFrom;
    private final Optional<KubernetesVersion> version;
    private Optional<Instant> endsAt = Optional.empty();
    private Optional<Instant> hungSince = Optional.empty();

    Program(Role role, boolean isStatic, Json pod, Instant started, Instant created, Chance chance) {
        this.role = role;
        this.isStatic = isStatic;
        this.behaviour = Behaviour.of(pod);
        this.started = started;
        this.created = created;
        this.isProbed = !isStatic
                || pod.at("spec", "containers").items().stream()
                        .anyMatch(container -> container
                                .at("livenessProbe", "httpGet", "port")
                                .integer()
                                .equals(OptionalLong.of(Component.API_SERVER.understudyPort())));
        this.listensFrom = started.plus(chance.millis(800, 4000));
        this.readyFrom = listensFrom.plus(chance.millis(300, 4000));
        this.version = versionOf(pod);
        switch (behaviour) {
            case CRASHES_AT_ONCE -> endAt(started.plusMillis(700));
            case CRASHES_LATER -> endAt(readyFrom.plus(LATER));
            case SLY -> {
                if (!isStatic) {
                    endAt(readyFrom.plus(LATER));
                }
            }
            case GOOD, NEVER_READY, CANNOT_READ_SECRETS -> {}
        }
    }

    static Optional<KubernetesVersion> versionOf(Json pod) {
        return pod.at("spec", "containers").items().stream()
                .findFirst()
                .flatMap(container -> container.at("image").text())
                .flatMap(image -> KubernetesVersion.parse(image.substring(image.lastIndexOf(':') + 1)));
    }

    void endAt(Instant moment) {
        if (endsAt.isEmpty() || moment.isBefore(endsAt.get())) {
            endsAt = Optional.of(moment);
        }
    }

    void hang(Instant now) {
        hungSince = Optional.of(hungSince.orElse(now));
    }

    boolean isAlive(Instant now) {
        return endsAt.isEmpty() || now.isBefore(endsAt.get());
    }

    boolean isHung() {
        return hungSince.isPresent();
    }

    Optional<Instant> hungSince() {
        return hungSince;
    }

    boolean isHungSince(Instant moment) {
        return hungSince.isPresent() && !hungSince.get().isAfter(moment);
    }

    boolean listens(Instant now) {
        return isAlive(now) && !now.isBefore(listensFrom);
    }

    /** Whether it is well itself; an API server also needs etcd. */
    boolean isReady(Instant now) {
        return isAlive(now) && !isHung() && behaviour != Behaviour.NEVER_READY && !now.isBefore(readyFrom);
    }

    Instant readySince() {
        return readyFrom;
    }

    Optional<KubernetesVersion> version() {
        return version;
    }
}
