package dev.ouroboros.keeper.observe;

import dev.ouroboros.api.Api;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiException.Kind;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.keeper.api.EventReason;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Verifies the newest API server after an older one stood in for it. An older server deletes the APIServices that it does not know, and
 * when encryption keys were changed meanwhile, one server cannot read what the other wrote, while both say they are ready. So:
 *
 * <ol>
 *   <li>While a server of the newest version answers and no older one has stood in, what it lists below {@code /apis} is written down,
 *       once per version.
 *   <li>Before an older server is started, its version is written down too.
 *   <li>When a server of the newest version answers again, and the principal has been ready for a while, two things must hold: every
 *       group version written down is listed, unless the server itself does not have it any more, as when a CustomResourceDefinition
 *       was deleted; and every Secret of kube-system can be read.
 *   <li>Only when both hold, the note of the older server is removed. Until then Events tell what is missing.
 * </ol>
 */
final class NewestServer {
    private static final Logger LOG = LoggerFactory.getLogger(NewestServer.class);
    private static final Duration LOOK_EVERY = Duration.ofSeconds(5);
    private static final Duration RETRY_AFTER = Duration.ofSeconds(10);
    private static final Duration STEADY = Duration.ofSeconds(10);
    private static final ApiPath VERSION = new ApiPath("/version");
    private static final ApiPath GROUPS = new ApiPath("/apis");
    private static final ApiPath SECRETS = ApiPath.core(Belonging.SYSTEM, "secrets");
    private static final int PAGE = 50;

    private final Api client;
    private final ClusterGuard guard;
    private final NodeMemory memory;
    private final Supplier<Evidence<Health>> principal;
    private final InstantSource clock;
    private final Reports reports;
    private Instant next = Instant.MIN;

    /** Tells people. */
    interface Reports {
        void say(EventReason reason, String message);
    }

    /** @param principal probe of this node's API server */
    NewestServer(
            Api client,
            ClusterGuard guard,
            NodeMemory memory,
            Supplier<Evidence<Health>> principal,
            InstantSource clock,
            Reports reports) {
        this.client = client;
        this.guard = guard;
        this.memory = memory;
        this.principal = principal;
        this.clock = clock;
        this.reports = reports;
    }

    void start(Lookouts lookouts) {
        lookouts.every("newest-server", LOOK_EVERY, this::look);
    }

    /** Nothing is asked of anybody when there is nothing to learn. */
    void look() {
        try {
            Optional<String> older = memory.standIn();
            boolean learned =
                    memory.newestServed().isEmpty() || !memory.newestGroups().isEmpty();
            if ((older.isEmpty() && learned) || clock.instant().isBefore(next) || !isSteady()) {
                return;
            }
            next = clock.instant().plus(RETRY_AFTER);
            Optional<KubernetesVersion> answering = answering();
            if (answering.isEmpty() || !answering.equals(memory.newestServed())) {
                return;
            }
            if (older.isEmpty()) {
                memory.newestGroups(answering.get(), groups());
            } else {
                verify(older.get(), answering.get());
            }
        } catch (ApiException | ProblemException e) {
            LOG.debug("component=keeper source=newest-server event=unknown reason=\"{}\"", e.getMessage());
        }
    }

    /** A server that just became ready may still register what it serves. */
    private boolean isSteady() {
        Instant before = clock.instant().minus(STEADY);
        return principal.get().is(health -> health instanceof Health.Ready(Instant since) && !since.isAfter(before));
    }

    private Optional<KubernetesVersion> answering() throws ApiException {
        guard.require();
        return client.get(VERSION).at("gitVersion").text().flatMap(KubernetesVersion::parse);
    }

    private void verify(String older, KubernetesVersion newest) throws ApiException {
        List<String> damage = new ArrayList<>();
        NavigableSet<String> missing = new TreeSet<>(memory.newestGroups());
        missing.removeAll(groups());
        for (String group : missing) {
            if (isServed(group)) {
                damage.add(group + " is not listed");
            }
        }
        try {
            readSecrets();
        } catch (ApiException e) {
            if (e.kind() != Kind.SERVER_ERROR) {
                throw e;
            }
            damage.add("Secrets cannot be read (" + e.getMessage() + ")");
        }
        String whose = "the API server " + newest.tag() + ", after " + older + " stood in for it, ";
        if (damage.isEmpty()) {
            memory.verified();
            LOG.info("component=keeper event=newer-server-verified newest={} older={}", newest.tag(), older);
            reports.say(EventReason.NEWER_SERVER_VERIFIED, whose + "has all that it had before");
        } else {
            LOG.error(
                    "component=keeper event=newer-server-damaged newest={} older={} damage=\"{}\"",
                    newest.tag(),
                    older,
                    String.join("; ", damage));
            reports.say(
                    EventReason.NEWER_SERVER_DAMAGED,
                    whose + "lacks something: " + String.join("; ", damage) + ". Delete its pod: a server that starts"
                            + " lists its own APIs anew; Secrets need the keys that they were written with");
        }
    }

    private NavigableSet<String> groups() throws ApiException {
        NavigableSet<String> found = new TreeSet<>();
        for (Json group : client.get(GROUPS).at("groups").items()) {
            group.at("versions")
                    .items()
                    .forEach(version -> version.at("groupVersion").text().ifPresent(found::add));
        }
        return found;
    }

    /** A server has its own APIs under their paths, whether or not an APIService lists them. */
    private boolean isServed(String groupVersion) throws ApiException {
        try {
            client.get(new ApiPath(GROUPS + "/" + groupVersion));
            return true;
        } catch (ApiException e) {
            if (e.kind() == Kind.NOT_FOUND) {
                return false;
            }
            throw e;
        }
    }

    private void readSecrets() throws ApiException {
        Optional<String> page = Optional.of("");
        while (page.isPresent()) {
            ApiPath path = SECRETS.with("limit", Integer.toString(PAGE));
            Json list = client.get(page.get().isEmpty() ? path : path.with("continue", page.get()));
            page = list.at("metadata", "continue").text().filter(token -> !token.isEmpty());
        }
    }

    /** The older server whose traces are not looked for yet. */
    Optional<String> unverified() {
        try {
            return memory.standIn();
        } catch (ProblemException e) {
            // The memory cannot be read, which other sources report already.
            return Optional.empty();
        }
    }
}
