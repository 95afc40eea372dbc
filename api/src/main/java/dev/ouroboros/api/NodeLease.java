package dev.ouroboros.api;

import dev.ouroboros.api.ApiException.Kind;
import dev.ouroboros.model.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * A Lease of kube-system that lets one node at a time do something. Whether another node's Lease has expired is judged by how long it has not changed
 * on our own clock, as in client-go: the clocks of two nodes are never compared.
 */
public final class NodeLease {
    private static final Duration DURATION = Duration.ofSeconds(40);
    private static final Duration RENEWAL = Duration.ofSeconds(10);
    private static final ApiPath COLLECTION = ApiPath.of("coordination.k8s.io/v1", "kube-system", "leases");
    private static final String HOLDER = "holderIdentity";
    private static final String RENEWED = "renewTime";

    private final Api client;
    private final ClusterGuard guard;
    private final String name;
    private final ApiPath path;
    private final String nodeName;
    private final InstantSource clock;
    private final InstantSource wallClock;
    private Optional<Held> held = Optional.empty();

    /** What the Lease says, and since when it has said so. */
    private record Held(String holder, String renewed, Instant since) {}

    /** Who holds the Lease. */
    public sealed interface Seen {
        /** Nobody, or somebody who has not renewed it for too long. */
        record Free() implements Seen {}

        /** @param renewalDue whether it is time to renew it */
        record Mine(boolean renewalDue) implements Seen {}

        record OfAnother(String holder) implements Seen {}
    }

    /**
     * Nothing is asked yet.
     *
     * @param name of the Lease
     * @param clock never jumps
     * @param wallClock for the times that others read
     */
    public NodeLease(
            Api client,
            ClusterGuard guard,
            String name,
            String nodeName,
            InstantSource clock,
            InstantSource wallClock) {
        this.client = client;
        this.guard = guard;
        this.name = name;
        this.path = COLLECTION.named(name);
        this.nodeName = nodeName;
        this.clock = clock;
        this.wallClock = wallClock;
    }

    /**
     * The Lease and what was made of it.
     *
     * @param lease empty where there is none
     */
    private record Read(Optional<Json> lease, Seen seen) {}

    /** Who holds it. */
    public synchronized Seen look() throws ApiException {
        return read().seen();
    }

    private Read read() throws ApiException {
        guard.require();
        Optional<Json> lease = client.find(path);
        return new Read(lease, judge(lease));
    }

    private Seen judge(Optional<Json> lease) {
        String holder = lease.flatMap(found -> found.at("spec", HOLDER).text()).orElse("");
        if (holder.isEmpty()) {
            held = Optional.empty();
            return new Seen.Free();
        }
        String renewed =
                lease.flatMap(found -> found.at("spec", RENEWED).text()).orElse("");
        boolean same = held.filter(before ->
                        before.holder().equals(holder) && before.renewed().equals(renewed))
                .isPresent();
        if (!same) {
            held = Optional.of(new Held(holder, renewed, clock.instant()));
        }
        Duration age = Duration.between(held.orElseThrow().since(), clock.instant());
        if (age.compareTo(DURATION) > 0) {
            return new Seen.Free();
        }
        return holder.equals(nodeName) ? new Seen.Mine(age.compareTo(RENEWAL) >= 0) : new Seen.OfAnother(holder);
    }

    /**
     * Takes or renews the Lease.
     *
     * @throws ApiException CONFLICT when another node was faster
     */
    public synchronized void hold() throws ApiException {
        Read now = read();
        if (now.seen() instanceof Seen.OfAnother(String holder)) {
            throw new ApiException(Kind.CONFLICT, path + ": held by " + holder, Optional.empty());
        }
        String time = wallClock.instant().truncatedTo(ChronoUnit.MICROS).toString();
        Json.Fields spec = Json.object()
                .with(HOLDER, Json.text(nodeName))
                .with("leaseDurationSeconds", Json.number(DURATION.toSeconds()))
                .with(RENEWED, Json.text(microseconds(time)));
        write(now.lease(), spec);
    }

    /** Gives the Lease up, if this node holds it. */
    public synchronized void release() throws ApiException {
        Read now = read();
        if (now.seen() instanceof Seen.Mine) {
            write(now.lease(), Json.object().with(HOLDER, Json.text("")).with("leaseDurationSeconds", Json.number(1)));
        }
    }

    /**
     * Writes over the Lease that was read, and over no other version of it: of two writers one fails.
     *
     * @param judged with the resourceVersion that may be written over; empty where there was no Lease
     */
    private void write(Optional<Json> judged, Json.Fields spec) throws ApiException {
        Json.Fields metadata = Json.object().with("name", Json.text(name)).with("namespace", Json.text("kube-system"));
        Json.Fields lease = Json.object()
                .with("apiVersion", Json.text("coordination.k8s.io/v1"))
                .with("kind", Json.text("Lease"));
        if (judged.isEmpty()) {
            client.create(COLLECTION, lease.with("metadata", metadata).with("spec", spec));
            return;
        }
        Json version = judged.get().at("metadata", "resourceVersion");
        client.update(
                path,
                lease.with("metadata", metadata.with("resourceVersion", version))
                        .with("spec", spec));
    }

    /** A time with six digits of seconds, as the API requires: Java leaves trailing zeros out. */
    private static String microseconds(String time) {
        String plain = time.replace("Z", "");
        int dot = plain.indexOf('.');
        String fraction = dot < 0 ? "" : plain.substring(dot + 1);
        return (dot < 0 ? plain : plain.substring(0, dot)) + "." + (fraction + "000000").substring(0, 6) + "Z";
    }
}
