package dev.ouroboros.keeper.observe;

import dev.ouroboros.api.Api;
import dev.ouroboros.api.Api.PatchType;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiException.Kind;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Endpoints and EndpointSlice of the {@code kubernetes} Service, which API servers without a reconciler leave to us. Endpoints are
 * watched; the slice is read when they change and every {@link #SLICE_EVERY}: a reconciler that changes one of the two changes
 * both. The slice's API version is asked for once, and again when no slice is found there.
 */
final class ServiceSource {
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
    private static final Duration SLICE_EVERY = Duration.ofMinutes(5);
    private static final Duration RETRY_AFTER = Duration.ofSeconds(5);
    private static final String NAMESPACE = "default";
    private static final String NAME = "kubernetes";
    private static final String GROUP = "discovery.k8s.io/";
    private static final String FIELD_MANAGER = "ouroboros";

    private final Api client;
    private final ClusterGuard guard;
    private final ApiSources api;
    private final String address;
    private final int port;
    private final InstantSource clock;
    private final Signal changed;
    private final Cell<Boolean> slice;
    private Optional<Json> endpointsThen = Optional.empty();
    private Instant nextRead = Instant.MIN;
    private Optional<String> served = Optional.empty();

    /**
     * @param address of the node
     * @param port of the front
     */
    ServiceSource(
            Api client,
            ClusterGuard guard,
            ApiSources api,
            String address,
            int port,
            InstantSource clock,
            Signal changed) {
        this.client = client;
        this.guard = guard;
        this.api = api;
        this.address = address;
        this.port = port;
        this.clock = clock;
        this.changed = changed;
        this.slice = new Cell<>("endpointslice", changed);
    }

    void start(Lookouts lookouts) {
        lookouts.repeatAndWhenRestEnds("endpointslice", () -> {
            look();
            return changed.sparing(LOOK_EVERY);
        });
    }

    private synchronized void look() {
        if (!(api.endpoints() instanceof Evidence.Known<Optional<Json>>(Optional<Json> endpoints))) {
            slice.set(Evidence.unknown("no API server answers"));
            nextRead = Instant.MIN;
            return;
        }
        if (endpoints.equals(endpointsThen) && clock.instant().isBefore(nextRead)) {
            return;
        }
        endpointsThen = endpoints;
        refresh();
    }

    /** Reads the slice now. */
    synchronized void refresh() {
        try {
            guard.require();
            slice.set(Evidence.known(isSliceRight()));
            nextRead = clock.instant().plus(SLICE_EVERY);
        } catch (ApiException e) {
            slice.set(Evidence.unknown(String.valueOf(e.getMessage())));
            nextRead = clock.instant().plus(RETRY_AFTER);
        }
    }

    private boolean isSliceRight() throws ApiException {
        try {
            Json found = client.get(slicePath(version()));
            return found.at("endpoints").equals(slice("").at("endpoints"))
                    && found.at("ports").items().stream()
                            .anyMatch(one -> one.at("port").integer().orElse(0) == port);
        } catch (ApiException e) {
            if (e.kind() == Kind.NOT_FOUND) {
                served = Optional.empty();
                return false;
            }
            throw e;
        }
    }

    /** Whether the slice leads here. */
    Evidence<Boolean> slice() {
        return slice.get();
    }

    /** Whether both lead to this node and nowhere else. */
    Evidence<Boolean> value() {
        return switch (api.endpoints()) {
            case Evidence.Unknown<Optional<Json>>(String reason) -> Evidence.unknown(reason);
            case Evidence.Known<Optional<Json>>(Optional<Json> subsets) ->
                subsets.filter(this::isRight).isPresent() ? slice.get() : Evidence.known(false);
        };
    }

    private boolean isRight(Json subsets) {
        List<Json> all = subsets.items();
        if (all.size() != 1) {
            return false;
        }
        List<Json> addresses = all.getFirst().at("addresses").items();
        List<Json> ports = all.getFirst().at("ports").items();
        return addresses.size() == 1
                && addresses.getFirst().at("ip").text().equals(Optional.of(address))
                && ports.size() == 1
                && ports.getFirst().at("port").integer().orElse(0) == port;
    }

    /** Makes both lead here. */
    synchronized void write() throws ApiException {
        guard.require();
        served = Optional.empty();
        ApiPath path = ApiPath.core(NAMESPACE, "endpoints").named(NAME);
        client.patch(applied(path), PatchType.APPLY, endpoints());
        String version = version();
        client.patch(applied(slicePath(version)), PatchType.APPLY, slice(version));
    }

    private static ApiPath applied(ApiPath path) {
        return path.with("fieldManager", FIELD_MANAGER).with("force", "true");
    }

    private static ApiPath slicePath(String version) {
        return ApiPath.of(GROUP + version, NAMESPACE, "endpointslices").named(NAME);
    }

    /** v1 since 1.21, v1beta1 until 1.25. */
    private String version() throws ApiException {
        if (served.isEmpty()) {
            served = Optional.of(preferredVersion());
        }
        return served.get();
    }

    private String preferredVersion() throws ApiException {
        try {
            return client.get(new ApiPath("/apis/discovery.k8s.io"))
                    .at("preferredVersion", "version")
                    .text()
                    .orElse("v1");
        } catch (ApiException e) {
            if (e.kind() == Kind.NOT_FOUND) {
                return "v1";
            }
            throw e;
        }
    }

    private Json.Fields endpoints() {
        Json.Fields subset = Json.object()
                .with("addresses", one(Json.object().with("ip", Json.text(address))))
                .with("ports", one(port()));
        return Json.object()
                .with("apiVersion", Json.text("v1"))
                .with("kind", Json.text("Endpoints"))
                // As the API server's own reconciler does: the controller manager must not mirror it into a second
                // slice.
                .with("metadata", metadata("endpointslice.kubernetes.io/skip-mirror", "true"))
                .with("subsets", one(subset));
    }

    private Json.Fields slice(String version) {
        Json.Fields endpoint = Json.object()
                .with("addresses", Json.texts(List.of(address)))
                .with("conditions", Json.object().with("ready", Json.bool(true)));
        return Json.object()
                .with("apiVersion", Json.text(GROUP + version))
                .with("kind", Json.text("EndpointSlice"))
                .with("metadata", metadata("kubernetes.io/service-name", NAME))
                .with("addressType", Json.text(address.contains(":") ? "IPv6" : "IPv4"))
                .with("endpoints", one(endpoint))
                .with("ports", one(port()));
    }

    private static Json.Fields metadata(String label, String value) {
        return Json.object()
                .with("name", Json.text(NAME))
                .with("namespace", Json.text(NAMESPACE))
                .with("labels", Json.object().with(label, Json.text(value)));
    }

    private Json.Fields port() {
        return Json.object()
                .with("name", Json.text("https"))
                .with("port", Json.number(port))
                .with("protocol", Json.text("TCP"));
    }

    private static Json one(Json value) {
        return Json.items(Stream.of(value));
    }
}
