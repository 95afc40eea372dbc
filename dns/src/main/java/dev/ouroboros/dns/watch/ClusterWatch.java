package dev.ouroboros.dns.watch;

import dev.ouroboros.api.Api;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.api.Reflector;
import dev.ouroboros.api.ReflectorThread;
import dev.ouroboros.dns.zone.ClusterView;
import dev.ouroboros.dns.zone.EndpointSlice;
import dev.ouroboros.dns.zone.Service;
import dev.ouroboros.dns.zone.ServiceObjects;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows Services and EndpointSlices. While the API is away the last view holds: a cluster's names change seldom, and the API server may be
 * a pod of the cluster that is just being replaced.
 */
public final class ClusterWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterWatch.class);
    /** A Service has a few hundred bytes. */
    private static final Reflector.Size SERVICES = new Reflector.Size(50, 20_000);
    /** A slice has a hundred endpoints, and a kilobyte of memory for each while its answer is read. */
    private static final Reflector.Size SLICES = new Reflector.Size(10, 20_000);
    /** Of many changes at once one view is made. */
    private static final Duration CALM = Duration.ofMillis(100);

    private final Reflector<Service> services;
    private final Reflector<EndpointSlice> slices;
    private final Semaphore changed = new Semaphore(0);
    private final AtomicReference<Optional<ClusterView>> view = new AtomicReference<>(Optional.empty());
    private final AtomicReference<Optional<String>> stale = new AtomicReference<>(Optional.of("not read yet"));
    private Optional<SortedMap<String, Service>> lastServices = Optional.empty();
    private Optional<SortedMap<String, EndpointSlice>> lastSlices = Optional.empty();
    private final List<ReflectorThread> reflectors;
    private final Thread renewal;

    /** @param sliceVersion group and version of EndpointSlices, as in {@code discovery.k8s.io/v1} */
    public ClusterWatch(Api api, ClusterGuard guard, String sliceVersion, Reflector.Times times) {
        this.services =
                reflector("services", api, guard, ApiPath.core("services"), ServiceObjects::service, times, SERVICES);
        this.slices = reflector(
                "endpointslices",
                api,
                guard,
                ApiPath.of(sliceVersion, "endpointslices"),
                ServiceObjects::slice,
                times,
                SLICES);
        this.reflectors =
                List.of(new ReflectorThread("services", services), new ReflectorThread("endpointslices", slices));
        this.renewal = Thread.ofVirtual().name("view").start(this::renew);
    }

    private <T> Reflector<T> reflector(
            String name,
            Api api,
            ClusterGuard guard,
            ApiPath collection,
            Function<Json, T> keep,
            Reflector.Times times,
            Reflector.Size size) {
        return new Reflector<>(name, api, guard, collection, keep, changed::release, times, size);
    }

    /** Empty until both were read once. */
    public Optional<ClusterView> view() {
        return view.get();
    }

    /** Why the view may be older than the cluster; empty when it is not. */
    public Optional<String> stale() {
        return stale.get();
    }

    private void renew() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                changed.acquire();
                Thread.sleep(CALM);
                changed.drainPermits();
                look();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void look() {
        Evidence<SortedMap<String, Service>> allServices = services.value();
        Evidence<SortedMap<String, EndpointSlice>> allSlices = slices.value();
        boolean differs = false;
        if (allServices instanceof Evidence.Known<SortedMap<String, Service>>(SortedMap<String, Service> known)) {
            differs = !lastServices.equals(Optional.of(known));
            lastServices = Optional.of(known);
        }
        if (allSlices
                instanceof Evidence.Known<SortedMap<String, EndpointSlice>>(SortedMap<String, EndpointSlice> known)) {
            differs |= !lastSlices.equals(Optional.of(known));
            lastSlices = Optional.of(known);
        }
        if (differs && lastServices.isPresent() && lastSlices.isPresent()) {
            Collection<EndpointSlice> current = lastSlices.get().values();
            ClusterView next = new ClusterView(lastServices.get().values(), current);
            if (view.getAndSet(Optional.of(next)).isEmpty()) {
                LOG.info("component=dns event=synced services={} endpointslices={}", next.size(), current.size());
            }
        }
        stale.set(whyUnknown(allServices).or(() -> whyUnknown(allSlices)));
    }

    private static Optional<String> whyUnknown(Evidence<?> evidence) {
        return evidence instanceof Evidence.Unknown<?>(String why) ? Optional.of(why) : Optional.empty();
    }

    @Override
    public void close() {
        reflectors.forEach(ReflectorThread::close);
        renewal.interrupt();
    }
}
