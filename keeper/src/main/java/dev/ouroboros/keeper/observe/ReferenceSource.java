package dev.ouroboros.keeper.observe;

import dev.ouroboros.api.Api;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiException.Kind;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.model.checkpoint.ApiObject;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The Secrets and ConfigMaps that pods of this node refer to, each by its name: nothing is listed, so that no right to list is
 * needed. An immutable one, as all that we render are, is read once; others every {@link #READ_EVERY}.
 */
final class ReferenceSource {
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
    private static final Duration READ_EVERY = Duration.ofSeconds(10);
    private static final Duration RETRY_AFTER = Duration.ofSeconds(2);

    private final Api client;
    private final ClusterGuard guard;
    private final Supplier<Set<ApiObject>> wanted;
    private final InstantSource clock;
    private final Signal changed;
    private final Consumer<String> forbidden;
    private final Map<ApiObject, Read> reads = new ConcurrentHashMap<>();

    private record Read(Evidence<Optional<Json>> content, Instant next) {}

    /** @param forbidden told each time that a namespace may not be read */
    ReferenceSource(
            Api client,
            ClusterGuard guard,
            Supplier<Set<ApiObject>> wanted,
            InstantSource clock,
            Signal changed,
            Consumer<String> forbidden) {
        this.client = client;
        this.guard = guard;
        this.wanted = wanted;
        this.clock = clock;
        this.changed = changed;
        this.forbidden = forbidden;
    }

    void start(Lookouts lookouts) {
        lookouts.repeatAndWhenRestEnds("references", () -> {
            look();
            return changed.sparing(LOOK_EVERY);
        });
    }

    private void look() {
        Set<ApiObject> now = wanted.get();
        reads.keySet().retainAll(now);
        for (ApiObject object : now) {
            Read last = reads.get(object);
            if (last == null || !clock.instant().isBefore(last.next())) {
                Read fresh = read(object);
                reads.put(object, fresh);
                if (last == null || !last.content().equals(fresh.content())) {
                    changed.raise();
                }
            }
        }
    }

    private Read read(ApiObject object) {
        try {
            guard.require();
            String resource = switch (object.kind()) {
                case SECRET -> "secrets";
                case CONFIG_MAP -> "configmaps";
            };
            Json found = withoutNoise(
                    client.get(ApiPath.core(object.namespace(), resource).named(object.name())));
            Instant next = found.at("immutable").isTrue()
                    ? Instant.MAX
                    : clock.instant().plus(READ_EVERY);
            return new Read(Evidence.known(Optional.of(found)), next);
        } catch (ApiException e) {
            Instant now = clock.instant();
            if (e.kind() == Kind.NOT_FOUND) {
                return new Read(Evidence.known(Optional.empty()), now.plus(RETRY_AFTER));
            }
            if (e.kind() == Kind.FORBIDDEN) {
                forbidden.accept(object.namespace());
            }
            String reason = object + ": " + e.getMessage();
            return new Read(Evidence.unknown(reason), now.plus(e.pause(RETRY_AFTER)));
        }
    }

    /** Without metadata that changes while content does not. */
    private static Json withoutNoise(Json object) {
        return object instanceof Json.Fields fields && fields.at("metadata") instanceof Json.Fields metadata
                ? fields.with("metadata", metadata.without("managedFields").without("resourceVersion"))
                : object;
    }

    /** All that is asked for. */
    Map<String, Evidence<?>> all() {
        Map<String, Evidence<?>> all = new TreeMap<>();
        reads.forEach((object, read) -> all.put(object.toString(), read.content()));
        return all;
    }

    Evidence<Optional<Json>> of(ApiObject object) {
        Read read = reads.get(object);
        return read == null ? Evidence.unknown(object + ": not read yet") : read.content();
    }
}
