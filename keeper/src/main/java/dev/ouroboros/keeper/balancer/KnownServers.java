package dev.ouroboros.keeper.balancer;

import dev.ouroboros.model.front.ServerAddress;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeParseException;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where API servers of this cluster are, and where some were: in a file, for a node that comes back when none of those it knows from its
 * configuration is left. Nobody is forgotten at once: a list may be wrong (k3s#11349), and who left may be all that can be reached.
 *
 * <p>A file that cannot be understood is left alone, and what is learnt is kept in memory alone.
 */
final class KnownServers {
    private static final Logger LOG = LoggerFactory.getLogger(KnownServers.class);
    private static final Duration KEPT = Duration.ofDays(30);
    private static final String API_VERSION = "ouroboros.dev/v1alpha1";
    private static final String KIND = "KnownServers";

    private final Disk disk;
    private final Path file;
    private final SortedSet<ServerAddress> seeds;
    private final InstantSource wallClock;
    private boolean readable = true;
    private SortedSet<ServerAddress> members = new TreeSet<>();
    private SortedMap<ServerAddress, Instant> departed = new TreeMap<>();

    /** @param seeds where servers are said to be by this node's configuration */
    KnownServers(Disk disk, Path file, SortedSet<ServerAddress> seeds, InstantSource wallClock) {
        this.disk = disk;
        this.file = file;
        this.seeds = Collections.unmodifiableSortedSet(new TreeSet<>(seeds));
        this.wallClock = wallClock;
        try {
            disk.readText(file).ifPresent(this::read);
        } catch (ProblemException e) {
            readable = false;
            LOG.error("component=balancer event=list-unreadable reason=\"{}\"", e.describe());
        }
    }

    private void read(String text) {
        try {
            Json read = JsonText.read(text);
            if (!read.at("apiVersion").text().equals(Optional.of(API_VERSION))
                    || !read.at("kind").text().equals(Optional.of(KIND))) {
                throw foreign("is no list of servers of this version");
            }
            SortedSet<ServerAddress> present = new TreeSet<>();
            for (Json member : read.at("members").items()) {
                present.add(server(member));
            }
            SortedMap<ServerAddress, Instant> gone = new TreeMap<>();
            for (Json former : read.at("departed").items()) {
                gone.put(server(former), Instant.parse(former.at("left").text().orElse("")));
            }
            members = present;
            departed = gone;
        } catch (MalformedJson | DateTimeParseException e) {
            throw foreign("cannot be read: " + e.getMessage());
        }
    }

    private ServerAddress server(Json written) {
        return ServerAddress.parse(
                        written.at("address").text().orElse(""),
                        written.at("port").integer().orElse(0))
                .orElseThrow(() -> foreign("has a server without address and port"));
    }

    private ProblemException foreign(String what) {
        return ProblemException.of(
                ErrorCode.FOREIGN_FILE,
                file.toString(),
                what,
                "what a keeper wrote",
                "look at it, and remove it: it is made anew from what the API says");
    }

    /** Those that the API named last; while it never did, those that the configuration names. */
    synchronized SortedSet<ServerAddress> members() {
        return new TreeSet<>(members.isEmpty() ? seeds : members);
    }

    /** Those that are no members any more, and those that only the configuration names. */
    synchronized SortedSet<ServerAddress> lastResorts() {
        forget(departed);
        SortedSet<ServerAddress> all = new TreeSet<>(departed.keySet());
        all.addAll(seeds);
        all.removeAll(members());
        return all;
    }

    /**
     * The API names these now.
     *
     * @param named ignored when it is empty: a cluster that answers has a server
     */
    synchronized void learn(SortedSet<ServerAddress> named) {
        if (named.isEmpty() || named.equals(members)) {
            return;
        }
        Instant now = wallClock.instant();
        SortedMap<ServerAddress, Instant> gone = new TreeMap<>(departed);
        members.forEach(former -> gone.put(former, now));
        gone.keySet().removeAll(named);
        forget(gone);
        LOG.info("component=balancer event=members before={} now={}", members, named);
        members = new TreeSet<>(named);
        departed = gone;
        write();
    }

    private void forget(SortedMap<ServerAddress, Instant> former) {
        Instant now = wallClock.instant();
        former.values().removeIf(left -> left.plus(KEPT).isBefore(now));
    }

    /** Whether the API ever named any: before that, nothing is known of others. */
    synchronized boolean wereNamed() {
        return !members.isEmpty();
    }

    /** What could not be written is known by this process, and learnt again by the next. */
    private void write() {
        if (!readable) {
            return;
        }
        try {
            disk.write(file, JsonText.write(content()), Disk.OWNER_ONLY_FILE);
        } catch (ProblemException e) {
            LOG.warn("component=balancer event=list-not-written reason=\"{}\"", e.describe());
        }
    }

    private Json content() {
        return Json.object()
                .with("apiVersion", Json.text(API_VERSION))
                .with("kind", Json.text(KIND))
                .with("members", Json.items(members.stream().map(KnownServers::written)))
                .with("departed", Json.items(departed.entrySet().stream().map(KnownServers::writtenFormer)));
    }

    private static Json writtenFormer(Map.Entry<ServerAddress, Instant> former) {
        return written(former.getKey()).with("left", Json.text(former.getValue().toString()));
    }

    private static Json.Fields written(ServerAddress server) {
        return Json.object()
                .with("address", Json.text(server.address().getHostAddress()))
                .with("port", Json.number(server.port()));
    }
}
