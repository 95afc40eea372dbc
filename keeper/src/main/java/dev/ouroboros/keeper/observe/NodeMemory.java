package dev.ouroboros.keeper.observe;

import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.json.Json;
import dev.ouroboros.core.json.JsonText;
import dev.ouroboros.core.json.JsonText.MalformedJson;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.core.version.KubernetesVersion;
import dev.ouroboros.keeper.api.ClusterGuard;
import dev.ouroboros.node.disk.Disk;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What outlives the keeper besides its checkpoints: which cluster this node belongs to, the newest version of an API server that
 * ever served it, and the kubelet's version. A file that cannot be understood is left alone: then no API server is believed,
 * until somebody has looked.
 */
public final class NodeMemory implements ClusterGuard.ClusterMemory {
    private static final Logger LOG = LoggerFactory.getLogger(NodeMemory.class);
    private static final String API_VERSION = "ouroboros.dev/v1alpha1";
    private static final String KIND = "KeeperState";

    private final Disk disk;
    private final Path file;
    private Optional<Json.Fields> content = Optional.empty();

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
        set("clusterId", clusterId);
    }

    @Override
    public synchronized void served(String version) {
        Optional<KubernetesVersion> serving = KubernetesVersion.parse(version);
        Optional<KubernetesVersion> newest = newestServed();
        if (serving.isPresent() && (newest.isEmpty() || serving.get().compareTo(newest.get()) > 0)) {
            set("newestApiServer", serving.get().tag());
        }
    }

    /** The newest version of an API server that ever served this cluster. */
    public synchronized Optional<KubernetesVersion> newestServed() {
        return content().at("newestApiServer").text().flatMap(KubernetesVersion::parse);
    }

    /** Remembers the kubelet's version for when no API server can be asked. */
    synchronized void kubelet(String version) {
        if (KubernetesVersion.parse(version).isPresent()
                && !content().at("kubelet").text().equals(Optional.of(version))) {
            set("kubelet", version);
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

    /** Memory follows the disk: what could not be written is not remembered either. */
    private void set(String name, String value) {
        Json.Fields changed = content().with(name, Json.text(value));
        disk.write(file, JsonText.write(changed), Disk.OWNER_ONLY_FILE);
        content = Optional.of(changed);
        LOG.info("component=keeper event=remembered {}={}", name, value);
    }
}
