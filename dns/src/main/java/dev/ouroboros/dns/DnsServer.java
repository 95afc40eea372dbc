package dev.ouroboros.dns;

import dev.ouroboros.api.ApiClient;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.api.ProcessClusterMemory;
import dev.ouroboros.api.Reflector;
import dev.ouroboros.api.ServiceAccountSource;
import dev.ouroboros.dns.forward.Forwarder;
import dev.ouroboros.dns.forward.Resolvers;
import dev.ouroboros.dns.serve.Answerer;
import dev.ouroboros.dns.serve.Counters;
import dev.ouroboros.dns.serve.DnsListeners;
import dev.ouroboros.dns.watch.ClusterWatch;
import dev.ouroboros.dns.zone.ClusterZone;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.http.PageServer;
import dev.ouroboros.node.http.PageServer.Page;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The parts put together: what was seen of the cluster, resolvers of the node, two ports. */
public final class DnsServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DnsServer.class);
    private static final Duration NEXT_LOOP_SEARCH = Duration.ofMinutes(1);

    private final ApiClient api;
    private final ClusterWatch watch;
    private final Forwarder forwarder;
    private final DnsListeners listeners;
    private final PageServer pages;
    private final Thread loopSearch;

    /**
     * Begins to serve.
     *
     * @param clock never jumps
     * @param address to listen on
     */
    public DnsServer(DnsOptions options, Disk disk, InstantSource clock, InetAddress address) {
        Resolvers resolvers = resolvers(options, disk);
        this.forwarder = new Forwarder(resolvers.usable(), clock);
        this.api = new ApiClient(
                new ServiceAccountSource(disk, options.credentials(), options.server()), Component.DNS.id());
        this.watch = new ClusterWatch(
                api,
                new ClusterGuard(api, new ProcessClusterMemory(), clock),
                options.sliceVersion(),
                Reflector.Times.DEFAULT);
        Counters counters = new Counters();
        ClusterZone zone = new ClusterZone(options.domain(), options.blocks(), options.ttl());
        this.listeners = new DnsListeners(
                new InetSocketAddress(address, options.port()),
                new Answerer(zone, watch::view, forwarder, counters),
                counters);
        this.pages = new PageServer(
                "dns",
                new InetSocketAddress(address, options.healthPort()),
                Map.of(
                        "/healthz", () -> Page.check(unhealthy()),
                        "/readyz", () -> Page.check(unready()),
                        "/metrics", () -> Page.metrics(counters.text() + gauges())));
        this.loopSearch = Thread.ofVirtual().name("loop-search").start(this::searchLoops);
    }

    private static Resolvers resolvers(DnsOptions options, Disk disk) {
        Resolvers resolvers = Resolvers.of(disk.readText(options.resolvConf()).orElse(""), options.ours());
        resolvers.refused().forEach(why -> LOG.error("component=dns event=resolver-refused reason=\"{}\"", why));
        if (resolvers.usable().isEmpty()) {
            LOG.error(
                    "component=dns event=no-resolvers file={} reason=\"names outside of the cluster are not found; the kubelet makes the file of"
                            + " its resolvConf\"",
                    options.resolvConf());
        } else {
            LOG.info("component=dns event=resolvers usable={}", resolvers.usable());
        }
        return resolvers;
    }

    /** Until every resolver has said something, at least once. */
    private void searchLoops() {
        try {
            while (!forwarder.searchLoops()) {
                Thread.sleep(NEXT_LOOP_SEARCH);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public int port() {
        return listeners.port();
    }

    private Optional<String> unhealthy() {
        return listeners.isOpen() ? Optional.empty() : Optional.of("does not listen any more");
    }

    /** What was seen once is answered for, however long the API is away. */
    private Optional<String> unready() {
        return unhealthy()
                .or(() -> watch.view().isPresent()
                        ? Optional.empty()
                        : Optional.of(
                                "the cluster was not seen yet: " + watch.stale().orElse("it is being read")));
    }

    private String gauges() {
        return "# HELP ouroboros_dns_services Services that it knows.\n"
                + "# TYPE ouroboros_dns_services gauge\n"
                + "ouroboros_dns_services "
                + watch.view().map(view -> view.size()).orElse(0) + "\n"
                + "# HELP ouroboros_dns_stale Whether the API cannot be followed just now.\n"
                + "# TYPE ouroboros_dns_stale gauge\n"
                + "ouroboros_dns_stale " + (watch.stale().isPresent() ? 1 : 0) + "\n"
                + "# HELP ouroboros_dns_resolvers The node's resolvers that are asked.\n"
                + "# TYPE ouroboros_dns_resolvers gauge\n"
                + "ouroboros_dns_resolvers " + forwarder.usable() + "\n";
    }

    @Override
    public void close() {
        loopSearch.interrupt();
        listeners.close();
        pages.close();
        watch.close();
        api.reconnect();
        api.close();
    }
}
