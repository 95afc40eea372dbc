package dev.ouroboros.upgrade.apply;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.YamlText;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.testing.KilledAnywhere;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.procedure.ProcedureDriver;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.node.testing.InterruptedDriver;
import dev.ouroboros.upgrade.decide.Direction;
import dev.ouroboros.upgrade.decide.ObjectName;
import dev.ouroboros.upgrade.decide.UpgradeMilestone;
import dev.ouroboros.upgrade.decide.UpgradeStage;
import dev.ouroboros.upgrade.merge.Preference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.io.TempDir;

/** A modelled cluster with an asset directory, and upgrades of it from one level of manifests to another. */
abstract class ModelUpgrade {
    static final ObjectName API_SERVER = workload("DaemonSet", "kube-apiserver");
    static final ObjectName SCHEDULER = workload("Deployment", "kube-scheduler");
    static final ObjectName PROXY = workload("DaemonSet", "kube-proxy");
    private static final ObjectName BUDGET =
            new ObjectName("policy", "PodDisruptionBudget", "kube-system", "kube-apiserver");

    /** Of the third level only. */
    static final ObjectName EXTRA = new ObjectName("", "ServiceAccount", "kube-system", "extra");

    private static final ObjectName SECRET = new ObjectName("", "Secret", "kube-system", "kube-apiserver-2");

    @TempDir
    private Path directory;

    final Disk disk = new LocalDisk();
    private long seconds;
    final InstantSource clock = () -> Instant.parse("2026-11-21T12:00:00Z").plusSeconds(seconds++);
    final List<String> deeds = new ArrayList<>();
    final List<String> waits = new ArrayList<>();
    String failing = "";
    List<String> after = List.of();
    Optional<KilledAnywhere.Place> place = Optional.empty();
    long saves;
    Path assets = Path.of("");
    ModelCluster cluster = new ModelCluster(new Random(0));

    /** A cluster at rest, made from the first manifests. */
    Random begin(int seed) {
        Random random = new Random(seed);
        assets = directory.resolve("assets-" + seed);
        deeds.clear();
        cluster = new ModelCluster(random);
        cluster.knows =
                version -> !version.equals("policy/v1") || !command(API_SERVER).contains("--level=1");
        write(assets, "1");
        manifests("1").objects().values().forEach(cluster::set);
        return random;
    }

    /** Somebody adds a flag to each component. */
    void edit() {
        for (ObjectName name : List.of(API_SERVER, SCHEDULER, PROXY)) {
            cluster.set(manifest(name, "--level=1", "--mine=yes"));
        }
    }

    void requireAt(String level, boolean edited) {
        assertThat(cluster.violations).isEmpty();
        for (ObjectName name : List.of(API_SERVER, SCHEDULER, PROXY)) {
            List<String> expected = edited ? List.of("--level=" + level, "--mine=yes") : List.of("--level=" + level);
            assertThat(command(name)).as(name.toString()).containsExactlyElementsOf(expected);
        }
        assertThat(cluster.get(BUDGET).at("spec", "minAvailable")).isEqualTo(Json.number(Long.parseLong(level)));
        assertThat(NamedManifests.read(disk, assets)).isEqualTo(manifests(level));
        if (level.equals("2")) {
            assertThat(cluster.find(SECRET)).isPresent();
        }
        assertThat(new UpgradeJournalFile(disk, assets).read().orElseThrow().isDone(UpgradeMilestone.DONE))
                .isTrue();
    }

    List<String> command(ObjectName name) {
        return cluster
                .get(name)
                .at("spec", "template", "spec", "containers")
                .items()
                .getFirst()
                .at("command")
                .items()
                .stream()
                .flatMap(word -> word.text().stream())
                .skip(1)
                .toList();
    }

    Upgrade.Outcome upgrade(String level) {
        return upgrade(level, Optional.empty());
    }

    Upgrade.Outcome upgrade(String level, Optional<Preference> choice) {
        return upgrade(new Upgrade.Request(
                Optional.of(manifests(level)),
                !NamedManifests.read(disk, assets).equals(manifests(level)),
                "1",
                level,
                choice,
                after));
    }

    Upgrade.Outcome upgrade(Upgrade.Request request) {
        cluster.order = UpgradeStage.order(Direction.FORWARD);
        return upgrade().apply(request, deeds(request.to()));
    }

    Upgrade.Outcome rollback() {
        cluster.order = UpgradeStage.order(Direction.BACK);
        return upgrade().rollback(Optional.empty(), _ -> {}, deeds("1"));
    }

    Upgrade upgrade() {
        ProcedureListener silent = new ProcedureListener() {
            @Override
            public void did(String what) {}

            @Override
            public void waits(String why, Duration since) {
                waits.add(why);
            }
        };
        Patience patience = new Patience(silent, Duration.ofHours(1), Duration.ZERO, clock);
        ProcedureDriver driver = place.<ProcedureDriver>map(end -> new InterruptedDriver(patience, end))
                .orElse(patience);
        return new Upgrade(new UpgradeJournalFile(disk, assets), cluster, silent, patience, driver, clock);
    }

    UpgradeTasks deeds(String level) {
        return new AssetDirectoryTasks(
                disk,
                assets,
                new UpgradeJournalFile(disk, assets),
                new AssetDirectoryTasks.OutsideTasks(
                        _ -> {
                            did("save");
                            saves++;
                            return new UpgradeJournal.Snapshot("/backup/a.db", saves, clock.instant());
                        },
                        (mark, _) -> did(mark == UpgradeMilestone.HOOKED_BEFORE ? "before" : "after"),
                        _ -> did("images"),
                        () -> {
                            did("render");
                            write(assets, level);
                        },
                        Optional.empty(),
                        _ -> {
                            did("accept");
                            return Optional.empty();
                        }));
    }

    private void did(String deed) {
        cluster.step();
        if (deed.equals(failing)) {
            throw ProblemException.of(ErrorCode.NOT_FOUND, deed, "is refused", "", "try again");
        }
        deeds.add(deed);
    }

    void write(Path target, String level) {
        disk.createDirectories(target.resolve("manifests"), Disk.OWNER_ONLY_DIRECTORY);
        Map<String, String> files = files(level);
        disk.list(target.resolve("manifests")).stream()
                .filter(name -> !files.containsKey("manifests/" + name))
                .forEach(name -> disk.delete(target.resolve("manifests").resolve(name)));
        files.forEach((path, text) -> {
            cluster.step();
            disk.write(target.resolve(path), text.getBytes(StandardCharsets.UTF_8), Disk.OWNER_ONLY_FILE);
        });
    }

    static NamedManifests manifests(String level) {
        return NamedManifests.of(files(level));
    }

    private static Map<String, String> files(String level) {
        Map<String, String> files = new TreeMap<>();
        for (ObjectName name : List.of(API_SERVER, SCHEDULER, PROXY)) {
            files.put("manifests/" + name.name() + ".yaml", YamlText.write(manifest(name, "--level=" + level)));
        }
        files.put("manifests/kube-apiserver-disruption.yaml", YamlText.write(budget(level)));
        if (level.equals("3")) {
            files.put("manifests/extra.yaml", YamlText.write(read("""
                    {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "extra", "namespace": "kube-system"}}""")));
        }
        files.put(
                "manifests/kube-apiserver-secret.yaml",
                YamlText.write(Json.object()
                        .with("apiVersion", Json.text("v1"))
                        .with("kind", Json.text("Secret"))
                        .with(
                                "metadata",
                                Json.object()
                                        .with("name", Json.text("kube-apiserver-" + level))
                                        .with("namespace", Json.text("kube-system")))
                        .with("immutable", Json.bool(true))));
        return files;
    }

    /** Of an API that the server of the first level has in an older version only. */
    private static Json budget(String level) {
        return Json.object()
                .with("apiVersion", Json.text(level.equals("1") ? "policy/v1beta1" : "policy/v1"))
                .with("kind", Json.text(BUDGET.kind()))
                .with(
                        "metadata",
                        Json.object()
                                .with("name", Json.text(BUDGET.name()))
                                .with("namespace", Json.text(BUDGET.namespace())))
                .with("spec", Json.object().with("minAvailable", Json.number(Long.parseLong(level))));
    }

    static Json manifest(ObjectName name, String... flags) {
        List<String> words = new ArrayList<>(List.of(name.name()));
        words.addAll(List.of(flags));
        String command = new String(JsonText.write(Json.texts(words)), StandardCharsets.UTF_8);
        return read("""
                {"apiVersion": "apps/v1", "kind": "%s", "metadata": {"name": "%s", "namespace": "kube-system"},
                "spec": {"template": {"spec": {"nodeSelector": %s, "containers": [{"name": "main", "command": %s}]}}}}
                """.formatted(name.kind(), name.name(), nodeSelector(name, words), command));
    }

    /** From the second level on the API server's nodes have another role, as from 1.24 on. */
    private static String nodeSelector(ObjectName name, List<String> words) {
        boolean isOfLater = words.contains("--level=2") || words.contains("--level=3");
        return name.equals(API_SERVER)
                ? "{\"node-role.kubernetes.io/" + (isOfLater ? "control-plane" : "master") + "\": \"\"}"
                : "{}";
    }

    static Json read(String text) {
        try {
            return JsonText.read(text);
        } catch (JsonText.MalformedJson e) {
            throw new AssertionError(e);
        }
    }

    private static ObjectName workload(String kind, String name) {
        return new ObjectName("apps", kind, "kube-system", name);
    }
}
