package dev.ouroboros.sim;

import dev.ouroboros.etcd.EtcdProbe;
import dev.ouroboros.etcd.NodeServers;
import dev.ouroboros.etcd.SnapshotUnpacker;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.node.disk.Disk;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The etcd that the node's kubelet runs as a static pod: its process, and its data on the node's disk, where a database is a file that
 * contains its name. The process reads that file when it begins, and ends when it cannot.
 */
final class EtcdMemberModel implements EtcdProbe, NodeServers {
    static final Path MANIFEST = Kubelet.MANIFESTS.resolve("etcd.json");
    private static final Path DATA = Path.of("/var/lib/etcd");
    private static final String MEMBER = "member";
    private static final String DATABASE = "db";
    private static final String STAGED = ".ouroboros-restor";
    private static final String DAMAGED = "damaged ";
    private static final long RAISED_BY = 1_000_000_000;
    private static final Set<Role> WATCHES =
            Set.of(Role.API_SERVER, Role.CONTROLLER_MANAGER, Role.SCHEDULER, Role.KEEPER);

    private final Machine machine;
    private final Chance chance;
    /** The contents of the databases that are not served now. */
    private final SortedMap<String, Content> contents = new TreeMap<>();
    /** Databases that have served: nobody may delete one. */
    private final SortedSet<String> owed = new TreeSet<>();

    private String served = "of the first member";
    private Optional<Program> process = Optional.empty();
    private String opened = "";
    private long dataThen = -1;
    private int snapshots;

    private record Content(Objects.Backup objects, long raisedBy) {}

    /**
     * A snapshot file that people have.
     *
     * @param isGood whether an etcd can begin with what it holds
     * @param raisesRevision whether etcd's tool of this version raises the revision
     */
    record Snapshot(String digest, Objects.Backup content, boolean isGood, boolean raisesRevision) {
        Snapshot good() {
            return new Snapshot(digest + " of another day", content, true, raisesRevision);
        }
    }

    EtcdMemberModel(Machine machine, Chance chance) {
        this.machine = machine;
        this.chance = chance;
    }

    void prepare() {
        Disk disk = machine.disk();
        disk.createDirectories(DATA.resolve(MEMBER), Disk.OWNER_ONLY_DIRECTORY);
        write(DATA.resolve(MEMBER), served);
        disk.write(MANIFEST, manifest().getBytes(StandardCharsets.UTF_8), Disk.OWNER_ONLY_FILE);
        owed.add(served);
    }

    private void write(Path member, String database) {
        machine.disk().write(member.resolve(DATABASE), database.getBytes(StandardCharsets.UTF_8), Disk.OWNER_ONLY_FILE);
    }

    private static String manifest() {
        return """
                {"apiVersion": "v1", "kind": "Pod",
                 "metadata": {"name": "etcd", "namespace": "kube-system"},
                 "spec": {"hostNetwork": true,
                  "containers": [{"name": "etcd", "image": "localhost/etcd:3.4.23",
                   "command": ["etcd", "--data-dir=%s"],
                   "readinessProbe": {"httpGet": {"path": "/health", "port": 2381}},
                   "volumeMounts": [{"name": "data", "mountPath": "%s"}]}],
                  "volumes": [{"name": "data", "hostPath": {"path": "%s", "type": "Directory"}}]}}
                """.formatted(DATA, DATA, DATA);
    }

    static boolean isEtcd(PodRun run) {
        return run.isStatic && run.name.equals("etcd-" + Blueprint.nodeName(1));
    }

    boolean serves() {
        return process.isPresent() && process.get().isReady(machine.now());
    }

    private boolean runs() {
        return process.isPresent() && process.get().isAlive(machine.now());
    }

    /** People begin a restore, unless one is under way; some only when the data is damaged, and some with a file that is no good. */
    void restore(Objects.Backup backup) {
        if (machine.starts().isRestoring()) {
            return;
        }
        if (chance.of100(40)) {
            damage();
        }
        Snapshot snapshot = new Snapshot("snapshot " + ++snapshots, backup, !chance.of100(20), chance.of100(50));
        machine.trace().say("user", "restores " + snapshot.digest() + " of revision " + backup.revision());
        machine.starts().restore(snapshot);
    }

    private void damage() {
        Path database = DATA.resolve(MEMBER).resolve(DATABASE);
        machine.disk()
                .readText(database)
                .filter(text -> !text.startsWith(DAMAGED))
                .ifPresent(text -> {
                    machine.trace().say("fault", "etcd's data is damaged");
                    machine.trace().count("etcd: damaged");
                    owed.remove(text);
                    process.ifPresent(program -> program.endAt(machine.now()));
                    machine.disk().tamper(database, DAMAGED + text, Disk.OWNER_ONLY_FILE);
                });
    }

    void losePower() {
        process = Optional.empty();
    }

    /** Its container begins. */
    void started(Program program) {
        Optional<String> database = machine.disk().readText(DATA.resolve(MEMBER).resolve(DATABASE));
        machine.invariants().require(!runs(), "no two etcd processes on one directory", "a second one begins");
        machine.invariants()
                .require(
                        database.isPresent(), "an etcd that had data never begins without", "there is none in " + DATA);
        process = Optional.of(program);
        opened = database.orElse("");
        dataThen = -1;
        if (opened.startsWith(DAMAGED)) {
            machine.trace().count("etcd: cannot read its data");
            program.endAt(machine.now().plusMillis(700));
        } else if (!opened.equals(served)) {
            serve(opened);
        }
    }

    private void serve(String database) {
        Content content =
                contents.getOrDefault(database, new Content(machine.objects().backup(), 0));
        contents.put(served, new Content(machine.objects().backup(), 0));
        machine.trace().say("etcd", "serves " + database + ", before " + served);
        machine.trace().count("etcd: serves other data");
        machine.objects().restore(content.objects(), content.raisedBy());
        machine.invariants().historyWentBack();
        served = database;
        owed.add(database);
    }

    /** What must hold of its data after every event. */
    void check() {
        if (machine.disk().changesBelow(DATA) == dataThen) {
            return;
        }
        dataThen = machine.disk().changesBelow(DATA);
        String there =
                machine.disk().readText(DATA.resolve(MEMBER).resolve(DATABASE)).orElse("");
        machine.invariants()
                .require(
                        !runs() || there.equals(opened) || there.equals(DAMAGED + opened),
                        "no two etcd processes on one directory",
                        "one has " + opened + " open, and there is " + there);
        NavigableSet<String> missing = new TreeSet<>(owed);
        machine.disk()
                .list(DATA)
                .forEach(name -> machine.disk()
                        .readText(DATA.resolve(name).resolve(DATABASE))
                        .ifPresent(missing::remove));
        machine.invariants()
                .require(
                        missing.isEmpty(),
                        "what etcd served before is set aside and never deleted",
                        missing + " is gone");
    }

    /** A restore says that it is done. */
    void restored() {
        Instant began = process.map(program -> program.started).orElse(Instant.MIN);
        watchers()
                .filter(program -> program.started.isBefore(began))
                .findFirst()
                .ifPresent(program -> machine.invariants()
                        .require(
                                false,
                                "what watched the former etcd is started again",
                                program.role + " since " + program.started + " and etcd since " + began));
    }

    private Stream<Program> watchers() {
        return machine.kubelet().runs().stream()
                .flatMap(run -> run.program.stream())
                .filter(program -> WATCHES.contains(program.role) && program.isAlive(machine.now()));
    }

    /** Why a restore is not at rest. */
    Optional<String> unrest() {
        boolean staged = machine.disk().list(DATA).stream().anyMatch(name -> name.startsWith(STAGED));
        if (staged) {
            return Optional.of("a restore left " + machine.disk().list(DATA));
        }
        boolean kept = machine.disk()
                .status(KeeperProcess.STATE.resolve(StateLayout.RESTORE).resolve(MANIFEST.getFileName()))
                .isPresent();
        return kept ? Optional.of("a restore left its copy of the manifest") : Optional.empty();
    }

    SnapshotUnpacker unpacker(Snapshot snapshot) {
        return new SnapshotUnpacker() {
            @Override
            public boolean raisesRevision() {
                return snapshot.raisesRevision();
            }

            @Override
            public void unpack(Path directory, String token) {
                String database = (snapshot.isGood() ? "" : DAMAGED) + token;
                contents.put(database, new Content(snapshot.content(), snapshot.raisesRevision() ? RAISED_BY : 0));
                machine.disk().createDirectories(directory.resolve(MEMBER), Disk.OWNER_ONLY_DIRECTORY);
                write(directory.resolve(MEMBER), database);
            }
        };
    }

    @Override
    public Evidence<Boolean> listens() {
        return Evidence.known(
                process.filter(program -> program.listens(machine.now())).isPresent());
    }

    @Override
    public Evidence<Boolean> healthy() {
        return Evidence.known(serves());
    }

    @Override
    public Instant now() {
        return machine.now();
    }

    @Override
    public Evidence<Boolean> startedBefore(Instant moment) {
        return Evidence.known(before(moment).findAny().isPresent());
    }

    @Override
    public void end(Instant moment) {
        before(moment).forEach(program -> program.endAt(machine.now().plus(chance.millis(100, 3000))));
    }

    private Stream<Program> before(Instant moment) {
        return watchers().filter(program -> program.started.isBefore(moment));
    }
}
