package dev.ouroboros.upgrade.apply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.YamlText;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.model.procedure.testing.KilledAnywhere;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.procedure.ProcedureDriver;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.node.testing.InterruptedDriver;
import dev.ouroboros.upgrade.decide.Direction;
import dev.ouroboros.upgrade.decide.ObjectName;
import dev.ouroboros.upgrade.decide.Release;
import dev.ouroboros.upgrade.decide.UpgradeMilestone;
import dev.ouroboros.upgrade.decide.UpgradeStage;
import dev.ouroboros.upgrade.merge.Conflict;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Upgrades of a modelled cluster, on a real directory. */
final class UpgradeTest {
    private static final int MANY = 30;
    private static final ObjectName API_SERVER = workload("DaemonSet", "kube-apiserver");
    private static final ObjectName SCHEDULER = workload("Deployment", "kube-scheduler");
    private static final ObjectName PROXY = workload("DaemonSet", "kube-proxy");
    private static final ObjectName BUDGET =
            new ObjectName("policy", "PodDisruptionBudget", "kube-system", "kube-apiserver");
    /** Of the third level only. */
    private static final ObjectName EXTRA = new ObjectName("", "ServiceAccount", "kube-system", "extra");

    private static final ObjectName SECRET = new ObjectName("", "Secret", "kube-system", "kube-apiserver-2");

    @TempDir
    private Path directory;

    private final Disk disk = new LocalDisk();
    private long seconds;
    private final InstantSource clock =
            () -> Instant.parse("2026-11-21T12:00:00Z").plusSeconds(seconds++);
    private final List<String> deeds = new ArrayList<>();
    private final List<String> waits = new ArrayList<>();
    private String failing = "";
    private List<String> after = List.of();
    private Optional<KilledAnywhere.Place> place = Optional.empty();
    private long saves;
    private Path assets = Path.of("");
    private ModelCluster cluster = new ModelCluster(new Random(0));

    @Test
    void bringsEveryComponentToTheTargetInTheOrderOfTheSkewPolicy() {
        begin(1);
        Upgrade.Outcome outcome = upgrade("2");
        assertThat(outcome.conflicts()).isEmpty();
        assertThat(cluster.written)
                .containsExactly(
                        UpgradeStage.SHARED,
                        UpgradeStage.SHARED,
                        UpgradeStage.API_SERVER,
                        UpgradeStage.SCHEDULER,
                        UpgradeStage.PROXY);
        assertThat(deeds).containsExactly("save", "before", "images", "render", "accept", "after");
        requireAt("2", false);
    }

    /** An understudy of the version before would be asked by controllers that are newer. */
    @Test
    void nothingElseBecomesNewerThanAnApiServerThatMayComeYet() {
        begin(1);
        cluster.earlier.addAll(List.of("the API server's checkpoint on n2 to be proven", "an understudy to end"));
        upgrade("2");
        assertThat(waits)
                .anyMatch(wait -> wait.startsWith("the API server's checkpoint on n2 to be proven; a node"))
                .anyMatch(wait -> wait.startsWith("an understudy to end; a node"));
        assertThat(cluster.violations).isEmpty();
        requireAt("2", false);
    }

    @Test
    void goingBackWaitsForNoEarlierServer() {
        begin(1);
        upgrade("2");
        waits.clear();
        cluster.earlier.add("an understudy to end");
        rollback();
        assertThat(waits).noneMatch(wait -> wait.startsWith("an understudy"));
        requireAt("1", false);
    }

    /** By manifests an older API server would get an etcd that has what it has no word for. */
    @Test
    void oneThatGoesBackByTheSnapshotIsKnownToWhenItWasInterrupted() {
        begin(1);
        upgrade("2");
        assertThatThrownBy(() -> upgrade().restore(_ -> {}, deeds("1"), () -> {
                    throw ProblemException.of(ErrorCode.COMPONENT_FAILED, "start", "is killed", "", "run it again");
                }))
                .isInstanceOf(ProblemException.class);
        assertThat(upgrade().last())
                .hasValueSatisfying(last -> assertThat(last.isBySnapshot()).isTrue())
                .hasValueSatisfying(
                        last -> assertThat(last.isDone(UpgradeMilestone.DONE)).isFalse());

        deeds.clear();
        upgrade().restore(_ -> {}, deeds("1"), () -> deeds.add("restore"));
        assertThat(deeds).contains("restore", "accept");
        assertThat(upgrade().last())
                .hasValueSatisfying(last -> assertThat(last.isBySnapshot() && last.isDone(UpgradeMilestone.DONE))
                        .isTrue());
    }

    /** Nothing selects a node for a moment where the role of the version before has ended; the model complains of it everywhere. */
    @Test
    void theNodesOfTheApiServerHaveTheirNewRoleBeforeItAsksForIt() {
        begin(1);
        upgrade("2");
        requireAt("2", false);
        assertThat(cluster.nodes.get("n2"))
                .containsExactly("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master");
        assertThat(cluster.nodes.get("worker")).isEmpty();
    }

    @Test
    void keepsWhatWasChangedInTheCluster() {
        begin(1);
        edit();
        upgrade("2");
        requireAt("2", true);
    }

    @Test
    void stopsBeforeAnythingIsDoneWhereBothChangedTheSame() {
        begin(1);
        cluster.set(manifest(API_SERVER, "--level=mine"));
        Map<ObjectName, List<Conflict>> foreseen = new Prospect(new UpgradeJournalFile(disk, assets), cluster, clock)
                .conflicts(
                        new Upgrade.Request(Optional.of(manifests("2")), true, "1", "2", Optional.empty(), List.of()));
        Upgrade.Outcome outcome = upgrade("2");
        assertThat(foreseen).as("what a plan says").isEqualTo(outcome.conflicts());
        assertThat(outcome.conflicts().get(API_SERVER))
                .containsExactly(new Conflict(
                        "spec.template.spec.containers[main].command --level",
                        Json.text("1"),
                        Json.text("mine"),
                        Json.text("2")));
        assertThat(cluster.written).isEmpty();
        assertThat(deeds).isEmpty();
        assertThat(new UpgradeJournalFile(disk, assets).read()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"live", "target"})
    void goesOnWhenSomebodyHasChosen(String word) {
        begin(1);
        cluster.set(manifest(API_SERVER, "--level=mine"));
        boolean isLive = word.equals("live");
        upgrade("2", Optional.of(isLive ? Preference.LIVE : Preference.TARGET));
        assertThat(command(API_SERVER)).contains(isLive ? "--level=mine" : "--level=2");
        assertThat(command(SCHEDULER)).contains("--level=2");
    }

    /** With 'ouro change abort' or kubectl: the upgrade does not put it there again by itself. */
    @Test
    void whatSomebodyTakesBackMeanwhileEndsTheRunAndIsNotPutThereAgain() {
        begin(1);
        cluster.aborts = Optional.of(API_SERVER);

        assertThatThrownBy(() -> upgrade("2"))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining(API_SERVER.toString())
                .hasMessageContaining("ouro change abort")
                .hasMessageContaining("ouro upgrade rollback");
        assertThat(command(API_SERVER)).contains("--level=1");
        assertThat(cluster.written).containsOnlyOnce(UpgradeStage.API_SERVER).doesNotContain(UpgradeStage.SCHEDULER);

        upgrade("2");
        requireAt("2", false);
    }

    /** Both ways: what the target has no more, and what the way there brought. */
    @Test
    void whatStaysIsNamed() {
        begin(1);
        upgrade("3");
        assertThat(upgrade("2").leftBehind()).containsExactly(EXTRA);

        begin(2);
        upgrade("3");
        assertThat(rollback().leftBehind()).containsExactly(EXTRA);
    }

    @Test
    void whyAPodDoesNotRunIsSaidWhileItIsWaitedFor() {
        begin(1);
        cluster.end(read("""
                {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "kube-scheduler-x", "namespace": "kube-system"}}"""), (Json.Fields) read("""
                {"containerStatuses": [{"state": {"waiting": {"reason": "CrashLoopBackOff",
                  "message": "back-off 20s restarting failed container"}}}]}"""));

        upgrade("2");

        assertThat(waits)
                .anyMatch(why -> why.contains("pods are")
                        && why.endsWith("(kube-scheduler-x: CrashLoopBackOff: restarting failed container)"));
    }

    @Test
    void goesBackInTheOppositeOrder() {
        begin(1);
        edit();
        upgrade("2");
        cluster.written.clear();
        assertThat(rollback().conflicts()).isEmpty();
        assertThat(cluster.written)
                .containsExactly(
                        UpgradeStage.SHARED, UpgradeStage.PROXY, UpgradeStage.SCHEDULER, UpgradeStage.API_SERVER);
        requireAt("1", true);
    }

    @Test
    void whatIsNotUnderWayCannotBeGoneOnWith() {
        begin(1);
        assertThatThrownBy(() ->
                        upgrade(new Upgrade.Request(Optional.empty(), false, "1", "1", Optional.empty(), List.of())))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("no upgrade is under way");
        assertThatThrownBy(this::rollback).isInstanceOf(ProblemException.class);
    }

    @Test
    void whatIsAlreadyThereIsNothingToDo() {
        begin(1);
        assertThat(upgrade("1").wasDone()).isTrue();
        upgrade("2");
        cluster.written.clear();
        assertThat(upgrade("2").wasDone()).isTrue();
        assertThat(cluster.written).isEmpty();
    }

    @Test
    void killedAnywhereItGoesOn() {
        for (int seed = 0; seed < MANY; seed++) {
            Random random = begin(seed);
            edit();
            untilItEnds(random, () -> upgrade("2"));
            requireAt("2", true);
        }
    }

    @Test
    void killedBeforeAndBehindEveryActionItGoesOn() throws Exception {
        int places = KilledAnywhere.check(() -> {
            begin(0);
            edit();
            return new KilledAnywhere.World() {
                @Override
                public void run(KilledAnywhere.Place end) {
                    place = Optional.of(end);
                    upgrade("2");
                }

                @Override
                public void judge(int killed) {
                    requireAt("2", true);
                }
            };
        });
        // Seven milestones and five writes at least.
        assertThat(places).isGreaterThan(24);
    }

    @Test
    void takenBackAnywhereNothingOfItIsLeft() {
        for (int seed = 0; seed < MANY; seed++) {
            Random random = begin(seed);
            edit();
            killed(random, () -> upgrade("2"));
            if (new UpgradeJournalFile(disk, assets).read().isEmpty()) {
                continue;
            }
            untilItEnds(random, this::rollback);
            requireAt("1", true);
        }
    }

    /** What comes before the asset directory is written: without programs of the target, say, a sandbox has no images of it. */
    @ParameterizedTest
    @ValueSource(strings = {"save", "before", "images"})
    void whatIsRefusedBeforeItChangedAnythingIsNothingToWhoeverComesNext(String deed) {
        begin(1);
        refused("2", deed);

        assertThatThrownBy(this::rollback)
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("no upgrade is known that could be taken back");
        assertThatThrownBy(() ->
                        upgrade(new Upgrade.Request(Optional.empty(), false, "1", "1", Optional.empty(), List.of())))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("no upgrade is under way");
        deeds.clear();
        Upgrade.Outcome next = upgrade("3");
        assertThat(deeds).containsExactly("save", "before", "images", "render", "accept", "after");
        assertThat(next.journal().orElseThrow().snapshot().orElseThrow().revision())
                .as("etcd of before this one, not of before the one that was refused")
                .isEqualTo(saves);
        rollback();
        requireAt("1", false);
    }

    @ParameterizedTest
    @ValueSource(strings = {"save", "before", "images"})
    void whatIsRefusedLeavesTheWayBackOfTheOneBeforeIt(String deed) {
        begin(1);
        upgrade("2");
        refused("3", deed);
        rollback();
        requireAt("1", false);
    }

    @ParameterizedTest
    @ValueSource(strings = {"before", "images"})
    void anotherTargetThatIsRefusedOnTheWayLeavesTheFirstOneUnderWay(String deed) {
        begin(1);
        untilRendered();
        refused("3", deed);
        upgrade(new Upgrade.Request(Optional.empty(), false, "1", "1", Optional.empty(), List.of()));
        requireAt("2", false);
    }

    /** Killed when its asset directory is the target's and nothing of the cluster is. */
    private void untilRendered() {
        for (int requests = 0; !NamedManifests.read(disk, assets).equals(manifests("2")); requests++) {
            cluster.killAt(requests);
            assertThatThrownBy(() -> upgrade("2")).isInstanceOf(ModelCluster.Killed.class);
        }
        cluster.killAt(Integer.MAX_VALUE);
        assertThat(cluster.written).isEmpty();
    }

    /** A plan that begins anew goes by these: of the half-written ones nobody knows what the cluster lives with. */
    @Test
    void whileTheTargetIsWrittenTheClusterIsMadeOfWhatWasKeptAside() {
        begin(1);
        refused("2", "render");
        write(assets, "2");
        assertThat(NamedManifests.read(disk, new UpgradeJournalFile(disk, assets).made()))
                .isEqualTo(manifests("1"));
        upgrade("2");
        assertThat(NamedManifests.read(disk, new UpgradeJournalFile(disk, assets).made()))
                .isEqualTo(manifests("2"));
    }

    private void refused(String level, String deed) {
        failing = deed;
        assertThatThrownBy(() -> upgrade(level))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining(deed);
        failing = "";
    }

    /** Else the Job that looks whether all is well would be left out without a word. */
    @Test
    void whoGoesOnSaysAgainWhatIsToBeRunAfterwards() {
        begin(1);
        after = List.of("--post-hook", "--post-job");
        untilRendered();
        after = List.of("--post-hook");
        Refusal.of(
                () -> upgrade("2"),
                ErrorCode.BAD_USAGE,
                "--post-job",
                "was begun with it, and it has not run yet",
                "add it");
        assertThat(new UpgradeJournalFile(disk, assets).read().orElseThrow().isDone(UpgradeMilestone.DONE))
                .isFalse();
        after = List.of("--post-hook", "--post-job");
        upgrade("2");
        requireAt("2", false);
        after = List.of();
        rollback();
        upgrade("3");
        requireAt("3", false);
    }

    @Test
    void anotherTargetOnTheWayIsReachedWithNothingLeftOfTheFirst() {
        for (int seed = 0; seed < MANY; seed++) {
            Random random = begin(seed);
            edit();
            killed(random, () -> upgrade("2"));
            untilItEnds(random, () -> upgrade("3"));
            requireAt("3", true);
            untilItEnds(random, this::rollback);
            requireAt("1", true);
        }
    }

    @Test
    void aJournalSaysTheSameWhenItIsReadAgain() {
        UpgradeJournal journal = new UpgradeJournal(
                "a",
                Direction.BACK,
                "1.20.2",
                "1.21.0",
                clock.instant(),
                List.of(Preference.LIVE, Preference.TARGET),
                true,
                java.util.Set.of(UpgradeMilestone.SAVED, UpgradeMilestone.HOOKED_BEFORE),
                Optional.of(new UpgradeJournal.Snapshot("/backup/a.db", 7, clock.instant())),
                List.of("--post-hook"));
        assertThat(UpgradeJournal.of(journal.toJson())).isEqualTo(journal);
    }

    /** Both ways; what a sandbox remembers of itself. */
    @Test
    void theVersionReachedIsThatOfTheLastChangeThatHasEnded() {
        begin(1);
        untilRendered();
        assertThat(new UpgradeJournalFile(disk, assets).read().orElseThrow().reached())
                .isEmpty();
        assertThat(reached(upgrade("2"))).contains("2");
        assertThat(reached(rollback())).contains("1");
    }

    private static Optional<String> reached(Upgrade.Outcome outcome) {
        return outcome.journal().flatMap(UpgradeJournal::reached).map(Release::version);
    }

    /** A cluster at rest, made from the first manifests. */
    private Random begin(int seed) {
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
    private void edit() {
        for (ObjectName name : List.of(API_SERVER, SCHEDULER, PROXY)) {
            cluster.set(manifest(name, "--level=1", "--mine=yes"));
        }
    }

    private void killed(Random random, Runnable command) {
        cluster.killAt(random.nextInt(60));
        try {
            command.run();
        } catch (ModelCluster.Killed _) {
            return;
        } finally {
            cluster.killAt(Integer.MAX_VALUE);
        }
    }

    private void untilItEnds(Random random, Runnable command) {
        for (int kill = random.nextInt(4); kill > 0; kill--) {
            killed(random, command);
        }
        command.run();
    }

    private void requireAt(String level, boolean edited) {
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

    private List<String> command(ObjectName name) {
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

    private Upgrade.Outcome upgrade(String level) {
        return upgrade(level, Optional.empty());
    }

    private Upgrade.Outcome upgrade(String level, Optional<Preference> choice) {
        return upgrade(new Upgrade.Request(
                Optional.of(manifests(level)),
                !NamedManifests.read(disk, assets).equals(manifests(level)),
                "1",
                level,
                choice,
                after));
    }

    private Upgrade.Outcome upgrade(Upgrade.Request request) {
        cluster.order = UpgradeStage.order(Direction.FORWARD);
        return upgrade().apply(request, deeds(request.to()));
    }

    private Upgrade.Outcome rollback() {
        cluster.order = UpgradeStage.order(Direction.BACK);
        return upgrade().rollback(Optional.empty(), _ -> {}, deeds("1"));
    }

    private Upgrade upgrade() {
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

    private UpgradeTasks deeds(String level) {
        return new AssetDirectoryTasks(
                disk,
                assets,
                new UpgradeJournalFile(disk, assets),
                new AssetDirectoryTasks.Works(
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

    private void write(Path target, String level) {
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

    private static NamedManifests manifests(String level) {
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

    private static Json manifest(ObjectName name, String... flags) {
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

    private static Json read(String text) {
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
