package dev.ouroboros.sandbox;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.net.Cidr;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.process.Waiting;
import dev.ouroboros.sandbox.host.Links;
import dev.ouroboros.sandbox.node.Subnet;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Keeps each sandbox's record in its directory, and gives out networks so that no two sandboxes get the same. */
final class SandboxRecords {
    /** No sandbox can have this name. */
    private static final String LOCK = ".lock";

    private final Path root;
    private final Links links;
    private final Disk disk;
    private final InstantSource time;
    private final Waiting waiting;
    private final ObjectMapper json = new ObjectMapper();

    SandboxRecords(Path root, Links links, Disk disk, InstantSource time, Waiting waiting) {
        this.root = root;
        this.links = links;
        this.disk = disk;
        this.time = time;
        this.waiting = waiting;
    }

    Optional<SandboxRecord> read(SandboxPaths paths) {
        return disk.readText(paths.record()).map(text -> parse(paths, text));
    }

    /** Names of the sandboxes of which this machine has more than a lock, sorted. */
    List<SandboxName> names() {
        return disk.list(root).stream()
                .filter(SandboxName::isValid)
                .map(SandboxName::new)
                .filter(name -> isMade(new SandboxPaths(root, name)))
                .toList();
    }

    boolean hasSandbox(String name) {
        return names().stream().anyMatch(sandbox -> sandbox.value().equals(name));
    }

    /** A command that was killed before it made anything leaves its lock. */
    private boolean isMade(SandboxPaths paths) {
        String lock = paths.lock().toFile().getName();
        return disk.list(paths.directory()).stream().anyMatch(file -> !file.equals(lock));
    }

    /**
     * The record of the sandbox; a new one with a network that is free on this machine when there is none.
     *
     * @param wanted the network that it must have
     */
    SandboxRecord ensure(SandboxPaths paths, Optional<Subnet> wanted) {
        SandboxRecord record = read(paths).orElseGet(() -> {
            try (VanishingLock _ = lock()) {
                Subnet subnet = wanted.map(this::requireFree).orElseGet(this::freeSubnet);
                SandboxRecord made = new SandboxRecord(
                        subnet,
                        time.instant(),
                        Optional.empty(),
                        false,
                        Optional.empty(),
                        List.of(NodeRecord.first(paths.name())));
                write(paths, made);
                return made;
            }
        });
        wanted.ifPresent(network -> requireSame(paths, record, network));
        return record;
    }

    /** What {@link #ensure} would refuse. */
    void require(SandboxPaths paths, Subnet wanted) {
        read(paths).ifPresentOrElse(record -> requireSame(paths, record, wanted), () -> requireFree(wanted));
    }

    private static void requireSame(SandboxPaths paths, SandboxRecord record, Subnet wanted) {
        if (!record.subnet().equals(wanted)) {
            throw ProblemException.of(
                    ErrorCode.NOT_FOUND,
                    "sandbox " + paths.name(),
                    "has the network " + record.subnet().network(),
                    wanted.network() + ", for whose addresses the certificates are",
                    "take it down (ouro down --name " + paths.name() + "), or choose another --name");
        }
    }

    void write(SandboxPaths paths, SandboxRecord record) {
        disk.createDirectories(paths.directory(), Disk.OWNER_ONLY_DIRECTORY);
        disk.write(paths.record(), format(record).getBytes(StandardCharsets.UTF_8), Disk.OWNER_ONLY_FILE);
    }

    /**
     * Removes the directory of a sandbox of which nothing exists but the lock, and with the last sandbox the directory of all. The caller
     * holds the sandbox's lock.
     */
    void removeUnlessMade(SandboxPaths paths) {
        if (isMade(paths)) {
            return;
        }
        disk.delete(paths.lock());
        disk.delete(paths.directory());
        removeEmptyRoot();
    }

    /** Removes the directory of all sandboxes, and its parent, when nothing but our lock is in them. */
    private void removeEmptyRoot() {
        if (!isRootEmpty()) {
            return;
        }
        try (VanishingLock _ = lock()) {
            if (!isRootEmpty()) {
                return;
            }
            disk.delete(root.resolve(LOCK));
            disk.delete(root);
            Path parent = root.resolveSibling(".").normalize();
            if (parent.endsWith("ouroboros") && disk.list(parent).isEmpty()) {
                disk.delete(parent);
            }
        }
    }

    private boolean isRootEmpty() {
        return disk.list(root).stream().allMatch(LOCK::equals);
    }

    /** Held for the moment that it takes to look at all records and to write one. */
    private VanishingLock lock() {
        return VanishingLock.await(root.resolve(LOCK), "the networks of sandboxes", disk, waiting);
    }

    /**
     * A network that another sandbox cannot have.
     *
     * @param sandbox that has it; empty where there is a route to it
     */
    private record Used(Cidr network, Optional<SandboxName> sandbox) {
        String describe() {
            return sandbox.map(name -> "sandbox " + name + " has it").orElseGet(() -> "there is a route to " + network);
        }

        String next() {
            return sandbox.map(name -> "take that sandbox down (ouro down --name " + name + ")")
                    .orElseGet(() -> "remove the route to " + network + " ('ip route show table all' has it)");
        }
    }

    private Subnet requireFree(Subnet wanted) {
        Optional<Used> taken = usedNetworks().stream()
                .filter(used -> wanted.network().overlaps(used.network()))
                .findFirst();
        if (taken.isPresent()) {
            throw ProblemException.of(
                    ErrorCode.NOT_FOUND,
                    "network of the sandbox",
                    wanted.network() + " is in use on this machine: "
                            + taken.get().describe(),
                    "the network that the cluster had: its certificates are for " + wanted.nodeAddress(),
                    taken.get().next());
        }
        return wanted;
    }

    /** Those of sandboxes first, as there are routes to them too. */
    private List<Used> usedNetworks() {
        List<Used> used = new ArrayList<>();
        for (SandboxName name : names()) {
            network(name).ifPresent(network -> used.add(new Used(network, Optional.of(name))));
        }
        links.routedNetworks().forEach(network -> used.add(new Used(network, Optional.empty())));
        return used;
    }

    /** Of a sandbox whose record cannot be read it is not known: while its nodes run there is a route to it, and without the record none boots. */
    private Optional<Cidr> network(SandboxName name) {
        return Evidence.asking(() -> read(new SandboxPaths(root, name)))
                .orElse(Optional.empty())
                .map(record -> record.subnet().network());
    }

    private Subnet freeSubnet() {
        List<Used> used = usedNetworks();
        return Subnet.firstFree(used.stream().map(Used::network).toList()).orElseThrow(() -> noneIsFree(used));
    }

    /** The widest route that leads to no sandbox is what stands in the way. */
    private static ProblemException noneIsFree(List<Used> all) {
        List<Cidr> ofSandboxes = all.stream()
                .filter(used -> used.sandbox().isPresent())
                .map(Used::network)
                .toList();
        Optional<Used> route = all.stream()
                .filter(used -> used.network().overlaps(Subnet.ALL)
                        && ofSandboxes.stream()
                                .noneMatch(network ->
                                        network.contains(used.network().network())))
                .min(Comparator.comparingInt(used -> used.network().prefix()));
        return ProblemException.of(
                ErrorCode.NOT_FOUND,
                "network of the sandbox",
                "every network of " + Subnet.ALL + " is in use on this machine"
                        + route.map(found -> ": " + found.describe()).orElse(""),
                "one with a free third octet",
                route.map(Used::next).orElse("take a sandbox down: ouro nodes lists them, then ouro down --name NAME"));
    }

    private String format(SandboxRecord made) {
        ObjectNode document = json.createObjectNode()
                .put("subnet", made.subnet().number())
                .put("created", made.created().toString())
                .put("complete", made.complete());
        made.kubernetesVersion().ifPresent(version -> document.put("kubernetesVersion", version));
        made.milliCpus().ifPresent(limit -> document.put("milliCpus", limit));
        ArrayNode nodes = document.putArray("nodes");
        for (NodeRecord node : made.nodes()) {
            nodes.addObject()
                    .put("name", node.name())
                    .put("number", node.number())
                    .put("etcd", node.etcd());
        }
        return document.toPrettyString() + "\n";
    }

    private SandboxRecord parse(SandboxPaths paths, String text) {
        try {
            JsonNode document = json.readTree(text);
            return new SandboxRecord(
                    new Subnet(document.required("subnet").intValue()),
                    Instant.parse(document.required("created").asText()),
                    Optional.ofNullable(document.path("kubernetesVersion").asText(null)),
                    document.path("complete").asBoolean(),
                    document.has("milliCpus")
                            ? Optional.of(document.path("milliCpus").asInt())
                            : Optional.empty(),
                    nodes(paths, document));
        } catch (JsonProcessingException | IllegalArgumentException | DateTimeException e) {
            throw new ProblemException(
                    new Problem(
                            ErrorCode.FOREIGN_FILE,
                            paths.record().toString(),
                            "is not a sandbox's record: " + e.getMessage(),
                            "",
                            "take the sandbox down (ouro down --name " + paths.name() + ") and make it again"),
                    e);
        }
    }

    /** A record of before sandboxes had several nodes says none. */
    private static List<NodeRecord> nodes(SandboxPaths paths, JsonNode document) {
        if (!document.has("nodes")) {
            return List.of(NodeRecord.first(paths.name()));
        }
        List<NodeRecord> nodes = new ArrayList<>();
        String first = paths.name().node();
        document.path("nodes")
                .forEach(node -> nodes.add(new NodeRecord(
                        node.required("name").asText(),
                        node.required("number").intValue(),
                        // A record of before etcd had several members says nothing.
                        node.path("etcd")
                                .asBoolean(node.required("name").asText().equals(first)))));
        return nodes;
    }
}
