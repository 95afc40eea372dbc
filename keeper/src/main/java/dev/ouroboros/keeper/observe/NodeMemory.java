package dev.ouroboros.keeper.observe;

import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.node.disk.Disk;
import java.nio.file.Path;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What outlives the keeper besides its checkpoints: which cluster this node belongs to, the newest version of an API server that
 * ever served it with the API groups it had, whether an older one stood in since, the kubelet's version, and whether a
 * pod-checkpointer lives here. A file that cannot be understood is left alone:
 * then no API server is believed, until somebody has looked.
 *
 * <p>The cluster's identity is on the disk before it is believed. The rest is believed at once, because what was seen is true
 * whatever the disk says; while it cannot be written, the next writing holds it too.
 */
public final class NodeMemory implements ClusterGuard.ClusterMemory {
    private static final Logger LOG = LoggerFactory.getLogger(NodeMemory.class);
    private static final String API_VERSION = "ouroboros.dev/v1alpha1";
    private static final String KIND = "KeeperState";

    private final Disk disk;
    private final Path file;
    private Optional<Json.Fields> content = Optional.empty();
    private boolean unwritten;

    /** @param file {@code /var/lib/ouroboros/keeper/state.json} */
    public NodeMemory(Disk disk, Path file) {
        this.disk = disk;
        this.file = file;
    }

    private synchronized Json.Fields content() {
        if (content.isEmpty()) {
            content = Optional.of(disk.readText(file)
                    .map(this::parse)
                    .orElseGet(() -> Json.object()
                            .with("apiVersion", Json.text(API_VERSION))
                            .with("kind", Json.text(KIND))));
        }
        return content.get();
    }

    private Json.Fields parse(String text) {
        try {
            Json read = JsonText.read(text);
            if (read instanceof Json.Fields fields
                    && fields.at("apiVersion").text().equals(Optional.of(API_VERSION))
                    && fields.at("kind").text().equals(Optional.of(KIND))) {
                return fields;
            }
            throw foreign("is not a keeper's state of this version");
        } catch (MalformedJson e) {
            throw foreign("is not JSON: " + e.getMessage());
        }
    }

    private ProblemException foreign(String what) {
        return ProblemException.of(
                ErrorCode.FOREIGN_FILE,
                file.toString(),
                what,
                "what a keeper wrote",
                "look at it, and remove it if this node belongs to the cluster that runs on it");
    }

    @Override
    public synchronized Optional<String> clusterId() {
        return content().at("clusterId").text();
    }

    @Override
    public synchronized void adopt(String clusterId) {
        Json.Fields changed = content().with("clusterId", Json.text(clusterId));
        write(changed);
        content = Optional.of(changed);
    }

    @Override
    public synchronized void served(String version) {
        Optional<KubernetesVersion> serving = KubernetesVersion.parse(version);
        Optional<KubernetesVersion> newest = newestServed();
        if (serving.isPresent() && (newest.isEmpty() || serving.get().compareTo(newest.get()) > 0)) {
            remember("newestApiServer", Json.text(serving.get().tag()));
            remember("newestGroups", Json.absent());
        }
    }

    /** The newest version of an API server that ever served this cluster. */
    public synchronized Optional<KubernetesVersion> newestServed() {
        return content().at("newestApiServer").text().flatMap(KubernetesVersion::parse);
    }

    /** Group versions that a server of the newest version listed; none before one was seen. */
    synchronized NavigableSet<String> newestGroups() {
        return content().at("newestGroups").items().stream()
                .flatMap(item -> item.text().stream())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** A server of this version lists these; forgotten when a newer one serves. */
    synchronized void newestGroups(KubernetesVersion version, NavigableSet<String> groups) {
        if (newestServed().equals(Optional.of(version))) {
            remember("newestGroups", Json.texts(List.copyOf(groups)));
        }
    }

    /** An API server of this version is started, although a newer one served. */
    synchronized void standsIn(KubernetesVersion older) {
        remember("standIn", Json.text(older.tag()));
    }

    /** The older API server that was started last, until the newer one was verified. */
    synchronized Optional<String> standIn() {
        return content().at("standIn").text();
    }

    /** Nothing that an older server did is left. */
    synchronized void verified() {
        remember("standIn", Json.absent());
    }

    /** Remembers the kubelet's version for when no API server can be asked. */
    synchronized void kubelet(String version) {
        Json now = Json.text(version);
        boolean isNew = !content().at("kubelet").equals(now) || unwritten;
        if (isNew && KubernetesVersion.parse(version).isPresent()) {
            remember("kubelet", now);
        }
    }

    /** Remembers whether a pod-checkpointer lives here, for a keeper that begins when no API server can be asked. */
    public synchronized void podCheckpointer(boolean livesHere) {
        remember("podCheckpointer", Json.bool(livesHere));
    }

    /** Whether one lived here when that was known last; unknown when it never was, or what is remembered cannot be read. */
    public synchronized Evidence<Boolean> podCheckpointer() {
        try {
            Json remembered = content().at("podCheckpointer");
            return remembered.isNull()
                    ? Evidence.unknown("no API server has told the pods of this node yet")
                    : Evidence.known(remembered.isTrue());
        } catch (ProblemException e) {
            return Evidence.unknown(e.describe());
        }
    }

    synchronized Evidence<KubernetesVersion> kubelet() {
        try {
            return content()
                    .at("kubelet")
                    .text()
                    .flatMap(KubernetesVersion::parse)
                    .map(Evidence::known)
                    .orElseGet(() -> Evidence.unknown("no API server has told the kubelet's version yet"));
        } catch (ProblemException e) {
            return Evidence.unknown(e.describe());
        }
    }

    private void remember(String name, Json value) {
        if (content().at(name).equals(value) && !unwritten) {
            return;
        }
        Json.Fields changed = content().with(name, value);
        content = Optional.of(changed);
        try {
            write(changed);
            unwritten = false;
            LOG.info("component=keeper event=remembered {}={}", name, value);
        } catch (ProblemException e) {
            if (!unwritten) {
                LOG.warn("component=keeper event=not-remembered what={} reason=\"{}\"", name, e.describe());
            }
            unwritten = true;
        }
    }

    private void write(Json.Fields changed) {
        disk.write(file, JsonText.write(changed), Disk.OWNER_ONLY_FILE);
    }
}
