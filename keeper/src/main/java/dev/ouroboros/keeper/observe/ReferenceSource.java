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
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The Secrets and ConfigMaps that pods of this node refer to, each by its name: nothing is listed, so that no right to list is
 * needed. An immutable one, as all that we render are, is read again when there is a pod that was not there before, and every {@link #READ_IMMUTABLE_EVERY}: it can only be
 * deleted, and another one made of its name. Others are read every {@link #READ_EVERY}.
 */
final class ReferenceSource {
    private static final Duration READ_EVERY = Duration.ofSeconds(10);
    private static final Duration READ_IMMUTABLE_EVERY = Duration.ofMinutes(5);
    private static final Duration RETRY_AFTER = Duration.ofSeconds(2);

    private final Api client;
    private final ClusterGuard guard;
    private final Supplier<Set<ApiObject>> wanted;
    private final Supplier<Set<String>> pods;
    private final InstantSource clock;
    private final Consumer<String> forbidden;
    private final PolledReads<ApiObject, Read> reads;

    private Set<String> podsThen = Set.of();

    private record Read(Evidence<Optional<Json>> content, Instant due) implements PolledReads.Read {
        boolean isImmutable() {
            return content.is(found ->
                    found.filter(object -> object.at("immutable").isTrue()).isPresent());
        }
    }

    /**
     * @param pods uids of the pods that refer to what is wanted
     * @param forbidden told each time that a namespace may not be read
     */
    ReferenceSource(
            Api client,
            ClusterGuard guard,
            Supplier<Set<ApiObject>> wanted,
            Supplier<Set<String>> pods,
            InstantSource clock,
            Signal changed,
            Consumer<String> forbidden) {
        this.client = client;
        this.guard = guard;
        this.wanted = wanted;
        this.pods = pods;
        this.clock = clock;
        this.forbidden = forbidden;
        this.reads = new PolledReads<>((object, _) -> read(object), clock, changed);
    }

    void start(Lookouts lookouts) {
        lookouts.repeatAndWhenRestEnds("references", this::look);
    }

    private Duration look() {
        Set<String> podsNow = pods.get();
        boolean isAnotherPod = !podsThen.containsAll(podsNow);
        podsThen = podsNow;
        reads.want(wanted.get());
        return reads.look(last -> isAnotherPod && last.isImmutable());
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
            Duration pause = found.at("immutable").isTrue() ? READ_IMMUTABLE_EVERY : READ_EVERY;
            return new Read(Evidence.known(Optional.of(found)), clock.instant().plus(pause));
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

    /** What is known of each wanted object, or why it is not. */
    Map<String, Evidence<?>> all() {
        return reads.contents(ApiObject::toString);
    }

    /** The object; empty when there is none of that name. */
    Evidence<Optional<Json>> of(ApiObject object) {
        return reads.latest(object).map(Read::content).orElseGet(() -> Evidence.unknown(object + ": not read yet"));
    }
}
