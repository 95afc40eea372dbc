package dev.ouroboros.keeper.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.keeper.decide.StaticManifest.Ours;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health.NotListening;
import dev.ouroboros.model.front.FrontState.ToPrincipal;
import dev.ouroboros.model.front.FrontState.ToUnderstudy;
import dev.ouroboros.model.front.Server;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The 25 rows of bootkube's checkpointer (TestProcess in pkg/checkpoint/process_test.go), decided by our rules. What bootkube knows
 * maps to ours: an inactive checkpoint is a last-good, an active one an understudy's manifest, "local running" the runtime's word,
 * "API parent" that a controller wants it here. "Local parent", the kubelet's cached list, is no evidence to us at all.
 *
 * <p>Where ours differs, the row says why.
 */
final class BootkubeStatesTest {
    private static final ComponentName AA = KeeperScene.OTHER;

    enum Saved {
        INACTIVE,
        ACTIVE
    }

    enum Api {
        AWAY,
        HAS_PARENT,
        HAS_NO_PARENT
    }

    /** Rows of a pod, as an API server's and as anybody's: what happens in the course of a quarter of an hour. */
    enum PodRow {
        INACTIVE_AND_NO_LOCAL_RUNNING(Saved.INACTIVE, false, Api.AWAY, "start", ""),
        INACTIVE_AND_LOCAL_RUNNING(Saved.INACTIVE, true, Api.AWAY, "", ""),
        INACTIVE_AND_NO_API_PARENT(Saved.INACTIVE, false, Api.HAS_NO_PARENT, "retire", "retire"),
        INACTIVE_AND_BOTH_API_AND_LOCAL_RUNNING(Saved.INACTIVE, true, Api.HAS_PARENT, "", ""),
        INACTIVE_AND_ONLY_API_PARENT(Saved.INACTIVE, false, Api.HAS_PARENT, "start", "start"),
        INACTIVE_AND_ONLY_API_AND_KUBELET_PARENTS(Saved.INACTIVE, false, Api.HAS_PARENT, "start", "start"),
        ACTIVE_AND_NO_LOCAL_RUNNING(Saved.ACTIVE, false, Api.AWAY, "", ""),
        /** Running is too early a sign for anybody whose readiness only the API knows: the understudy stays until it answers. */
        ACTIVE_AND_LOCAL_RUNNING(Saved.ACTIVE, true, Api.AWAY, "stop", ""),
        ACTIVE_AND_API_PARENT(Saved.ACTIVE, false, Api.HAS_PARENT, "", ""),
        ACTIVE_AND_NO_API_PARENT(Saved.ACTIVE, false, Api.HAS_NO_PARENT, "retire stop", "retire stop"),
        ACTIVE_WITH_LOCAL_RUNNING_AND_API_PARENT(Saved.ACTIVE, true, Api.HAS_PARENT, "stop", "stop"),
        ACTIVE_WITH_LOCAL_PARENT_AND_NO_API_PARENT(
                Saved.ACTIVE, false, Api.HAS_NO_PARENT, "retire stop", "retire stop"),
        /** A started understudy keeps its checkpoint: there is always both. */
        ACTIVE_AND_INACTIVE_WITH_NO_API_PARENT(Saved.ACTIVE, false, Api.HAS_NO_PARENT, "retire stop", "retire stop"),
        INACTIVE_LOCAL_PARENT_LOCAL_RUNNING_NO_API(Saved.INACTIVE, true, Api.AWAY, "", ""),
        ACTIVE_LOCAL_PARENT_NO_LOCAL_RUNNING_NO_API(Saved.ACTIVE, false, Api.AWAY, "", "");

        final Saved saved;
        final boolean running;
        final Api api;
        final String ofApiServer;
        /** Nobody but the API server is judged while the API is away: nobody else could do anything then. */
        final String ofOthers;

        PodRow(Saved saved, boolean running, Api api, String ofApiServer, String ofOthers) {
            this.saved = saved;
            this.running = running;
            this.api = api;
            this.ofApiServer = ofApiServer;
            this.ofOthers = ofOthers;
        }
    }

    @ParameterizedTest
    @EnumSource(PodRow.class)
    void decidesAboutAnApiServer(PodRow row) {
        KeeperScene scene = new KeeperScene().with(AA, part(Role.API_SERVER, row.saved, row.running, row.api));
        scene.otherApiServers = row.api == Api.AWAY ? Evidence.unknown("no API") : Evidence.known(1);
        if (row.saved == Saved.ACTIVE) {
            scene.toUnderstudy();
        }

        assertThat(course(scene)).isEqualTo(words(row.ofApiServer));
    }

    @ParameterizedTest
    @EnumSource(PodRow.class)
    void decidesAboutAnybodyElse(PodRow row) {
        KeeperScene scene = new KeeperScene().with(AA, part(Role.OTHER, row.saved, row.running, row.api));

        assertThat(course(scene)).isEqualTo(words(row.ofOthers));
    }

    /**
     * Rows of the checkpointer itself. Those that say "should start" and then remove it are one that starts its own copy first; ours
     * starts no copy of a keeper that is unwanted.
     */
    enum KeeperRow {
        INACTIVE_LOCAL_RUNNING_API_PARENT(Saved.INACTIVE, true, Api.HAS_PARENT, "start"),
        INACTIVE_NO_LOCAL_RUNNING_API_NOT_REACHABLE(Saved.INACTIVE, false, Api.AWAY, "start"),
        INACTIVE_NO_PARENT_REMOVES_ITSELF_LAST(Saved.INACTIVE, false, Api.HAS_NO_PARENT, "retire remove-self"),
        INACTIVE_NO_PARENT_REMOVES_ALL(Saved.INACTIVE, false, Api.HAS_NO_PARENT, "retire remove-self"),
        ACTIVE_NO_PARENT_REMOVES_ALL(Saved.ACTIVE, false, Api.HAS_NO_PARENT, "stop retire remove-self");

        final Saved saved;
        final boolean running;
        final Api api;
        final String expected;

        KeeperRow(Saved saved, boolean running, Api api, String expected) {
            this.saved = saved;
            this.running = running;
            this.api = api;
            this.expected = expected;
        }
    }

    @ParameterizedTest
    @EnumSource(KeeperRow.class)
    void decidesAboutItself(KeeperRow row) {
        assertThat(course(keeperScene(row))).isEqualTo(words(row.expected));
    }

    /** Bootkube's copy on disk stays; ours gives way to the API-managed pod that runs. */
    @ParameterizedTest
    @EnumSource(KeeperRow.class)
    void decidesAboutItselfAsTheCopyOnDisk(KeeperRow row) {
        KeeperScene scene = keeperScene(row);
        scene.staticCopy = true;
        SortedSet<String> expected = words(row.expected);
        if (row.running) {
            expected.add("give-way");
        }

        assertThat(course(scene)).isEqualTo(expected);
    }

    private static KeeperScene keeperScene(KeeperRow row) {
        SceneComponent server = new SceneComponent(Role.API_SERVER).saved(Optional.empty(), Optional.empty());
        server.material = Evidence.unknown("not annotated");
        KeeperScene scene =
                KeeperScene.of(server).with(KeeperScene.KEEPER, part(Role.KEEPER, row.saved, row.running, row.api));
        if (row.api == Api.HAS_NO_PARENT) {
            scene.with(AA, part(Role.OTHER, row.saved, true, Api.HAS_PARENT));
        }
        scene.keeperWanted = switch (row.api) {
            case AWAY -> Evidence.unknown("no API");
            case HAS_PARENT -> Evidence.known(true);
            case HAS_NO_PARENT -> Evidence.known(false);
        };
        return scene;
    }

    private static SceneComponent part(Role role, Saved saved, boolean running, Api api) {
        SceneComponent part = new SceneComponent(role);
        if (!running) {
            part.dead();
        }
        switch (api) {
            case AWAY -> part.withoutApi();
            case HAS_PARENT -> {}
            case HAS_NO_PARENT -> part.belongs(false).pods();
        }
        return switch (saved) {
            case INACTIVE -> part;
            case ACTIVE -> part.understudyServes();
        };
    }

    /** What is done in a quarter of an hour, when everything that is asked for happens. */
    private static SortedSet<String> course(KeeperScene scene) {
        SortedSet<String> done = new TreeSet<>();
        for (int second = 0; second < 900; second++) {
            for (Action action : scene.actions()) {
                perform(scene, action, done);
            }
            scene.now = scene.now.plus(Duration.ofSeconds(1));
        }
        return done;
    }

    private static void perform(KeeperScene scene, Action action, SortedSet<String> done) {
        switch (action) {
            case Action.StartUnderstudy(ComponentName name, Revision revision) -> {
                part(scene, name).manifest(new Ours(revision));
                done.add("start");
            }
            case Action.StopUnderstudy(ComponentName name) -> {
                SceneComponent part = part(scene, name).manifest(new StaticManifest.Absent());
                part.understudy(new NotListening()).understudyRuns = Evidence.known(Running.ABSENT);
                done.add("stop");
            }
            case Action.Retire(ComponentName name) -> {
                part(scene, name).saved(Optional.empty(), Optional.empty());
                done.add("retire");
            }
            case Action.PointFront(Server server) ->
                scene.front(
                        server == Server.PRINCIPAL
                                ? new ToPrincipal()
                                : new ToUnderstudy(KeeperSettings.DEFAULT.lease()));
            case Action.RemoveSelf _ -> done.add("remove-self");
            case Action.AdmitSuccessor _ -> done.add("admit-successor");
            case Action.GiveWay _ -> done.add("give-way");
            default -> throw new AssertionError("not in this table: " + action);
        }
    }

    private static SceneComponent part(KeeperScene scene, ComponentName name) {
        return Objects.requireNonNull(scene.parts.get(name));
    }

    private static SortedSet<String> words(String text) {
        return Arrays.stream(text.split(" "))
                .filter(word -> !word.isEmpty())
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
