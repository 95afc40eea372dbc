package dev.ouroboros.keeper.decide;

import static dev.ouroboros.keeper.decide.KeeperScene.API_SERVER;
import static dev.ouroboros.keeper.decide.KeeperScene.CONTROLLER_MANAGER;
import static dev.ouroboros.keeper.decide.KeeperScene.KEEPER;
import static dev.ouroboros.keeper.decide.SceneComponent.OLD;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.keeper.decide.StaticManifest.OfStart;
import dev.ouroboros.keeper.decide.StaticManifest.Ours;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.evidence.Health.NotListening;
import dev.ouroboros.model.evidence.Health.NotReady;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What people are told, word by word where the words carry the evidence. */
final class StatusReportTest {
    private static SceneComponent api() {
        return new SceneComponent(Role.API_SERVER);
    }

    private static SceneComponent other() {
        return new SceneComponent(Role.CONTROLLER_MANAGER);
    }

    private static Status of(SceneComponent part) {
        return switch (part.role) {
            case API_SERVER -> KeeperScene.of(part).status(API_SERVER);
            case KEEPER -> KeeperScene.beside(KEEPER, part).status(KEEPER);
            case CONTROLLER_MANAGER, SCHEDULER, OTHER -> manager(part);
        };
    }

    private static Status manager(SceneComponent part) {
        return KeeperScene.beside(CONTROLLER_MANAGER, part).status(CONTROLLER_MANAGER);
    }

    private static Status status(Condition condition, String waitsFor) {
        return new Status(condition, waitsFor, KeeperScene.BEGIN);
    }

    @Test
    void ofOneAtRest() {
        assertThat(of(api())).isEqualTo(status(Condition.SERVING, ""));
        assertThat(of(other())).isEqualTo(status(Condition.SERVING, ""));
        assertThat(of(api().pods(SceneComponent.leavingPod())).condition()).isEqualTo(Condition.SERVING);
    }

    @Test
    void ofOneInDoubt() {
        SceneComponent running = api().principal(new NotReady("hung\n"));
        assertThat(of(running))
                .isEqualTo(status(Condition.DOUBTFUL, "the principal: not ready (hung), for 0 s of 3 s"));
        assertThat(of(other().pods(SceneComponent.unreadyPod())))
                .isEqualTo(
                        status(Condition.DOUBTFUL, "the principal: pods: pod not ready, 0 restarts, for 0 s of 45 s"));
        assertThat(of(other().pods()))
                .isEqualTo(status(Condition.DOUBTFUL, "the principal: pods: none, for 0 s of 3 s"));
        assertThat(of(other().withoutApi()))
                .isEqualTo(status(Condition.DOUBTFUL, "the principal: pods: unknown (no API)"));
        SceneComponent unknown = api();
        unknown.principal = Evidence.unknown("not probed");
        assertThat(of(unknown)).isEqualTo(status(Condition.DOUBTFUL, "the principal: unknown (not probed)"));
    }

    @Test
    void ofOneWhosePodsLeave() {
        SceneComponent part = other().pods(SceneComponent.leavingPod(), SceneComponent.restartedPod(3));
        part.principalRuns = Evidence.known(Running.STOPPED);

        assertThat(of(part).waitsFor())
                .isEqualTo("the principal: pods: pod terminating, 0 restarts, pod ready, 3 restarts, for 0 s of 10 s");
    }

    @Test
    void ofOneThatCannotBeHelped() {
        SceneComponent rejected = other().pods(SceneComponent.failedPod()).saved(Optional.empty(), Optional.empty());

        assertThat(of(rejected))
                .isEqualTo(status(
                        Condition.HELPLESS,
                        "a checkpoint: candidate none, last-good none; without one 'ouro start', run on this node, brings it"
                                + " back"));
    }

    @Test
    void ofAnUnderstudyThatStarts() {
        SceneComponent server = api().dead().manifest(new Ours(OLD)).understudy(new NotReady("starting"));
        server.understudyRuns = Evidence.known(Running.RUNNING);
        assertThat(of(server)).isEqualTo(status(Condition.STARTING, "the understudy: running"));
        SceneComponent part = other().pods(SceneComponent.unreadyPod()).manifest(new OfStart());
        part.understudyRuns = Evidence.unknown("the runtime hangs");
        assertThat(of(part)).isEqualTo(status(Condition.STARTING, "the understudy: unknown (the runtime hangs)"));
    }

    @Test
    void ofAnUnderstudyThatServes() {
        assertThat(of(api().dead().understudyServes()))
                .isEqualTo(status(Condition.UNDERSTUDY_SERVES, "the principal: does not listen"));
        SceneComponent silent =
                other().pods(SceneComponent.unreadyPod()).understudyServes().understudy(new NotReady("listens"));
        assertThat(of(silent))
                .isEqualTo(status(Condition.UNDERSTUDY_SERVES, "the principal: pods: pod not ready, 0 restarts"));
    }

    @Test
    void ofAnUnderstudyThatGivesWay() {
        assertThat(of(api().understudyServes()))
                .isEqualTo(status(Condition.GIVING_WAY, "the principal to be steady: 0 s of 5 s"));
    }

    @Test
    void ofOneThatDoesNotBelongHere() {
        assertThat(of(new SceneComponent(Role.OTHER).belongs(false)))
                .isEqualTo(status(Condition.LEAVING, "the grace period: 0 s of 300 s"));
        assertThat(of(other().belongs(false)))
                .isEqualTo(status(Condition.KEPT, "another one to be known to serve: until then its checkpoint stays"));
    }

    @Test
    void ofOneThatWasScaledToZero() {
        assertThat(of(other().switchedOff()))
                .isEqualTo(
                        status(Condition.SWITCHED_OFF, "its replicas to be more than 0 again; its checkpoint is kept"));
        assertThat(of(other().switchedOff().saved(Optional.empty(), Optional.empty()))
                        .waitsFor())
                .contains("'ouro start'");
    }

    @Test
    void ofTheKeeper() {
        assertThat(of(new SceneComponent(Role.KEEPER).manifest(new Ours(OLD))))
                .isEqualTo(status(Condition.STANDING_BY, ""));
        assertThat(of(new SceneComponent(Role.KEEPER).dead().manifest(new Ours(OLD))))
                .isEqualTo(status(Condition.UNDERSTUDY_SERVES, "the principal: pods: pod ready, 0 restarts"));
        assertThat(of(new SceneComponent(Role.KEEPER))).isEqualTo(status(Condition.SERVING, ""));
    }

    @Test
    void keepsTheTimeOfAConditionAndRenewsItWithTheCondition() {
        KeeperScene scene = KeeperScene.of(api());
        scene.decide();
        scene.now = scene.now.plusSeconds(100);
        assertThat(scene.status(API_SERVER).since()).isEqualTo(KeeperScene.BEGIN);
        scene.api().principal = Evidence.unknown("not probed");
        Instant changed = scene.now;
        assertThat(scene.status(API_SERVER))
                .isEqualTo(new Status(Condition.DOUBTFUL, "the principal: unknown (not probed)", changed));
        scene.now = scene.now.plusSeconds(1);
        scene.api().principal(new NotReady("hung"));
        assertThat(scene.status(API_SERVER))
                .isEqualTo(new Status(Condition.DOUBTFUL, "the principal: not ready (hung), for 0 s of 3 s", changed));
    }

    @Test
    void ofWhatAnActionRestsOn() {
        SceneComponent server = api().dead();
        server.understudy = Evidence.unknown("not probed");
        assertThat(KeeperScene.of(server).decide().actions())
                .singleElement()
                .extracting(Decision.Planned::evidence)
                .isEqualTo("principal: does not listen; its containers: absent; understudy: unknown (not probed)");
        assertThat(KeeperScene.beside(CONTROLLER_MANAGER, other().pods(SceneComponent.failedPod()))
                        .decide()
                        .actions())
                .singleElement()
                .extracting(Decision.Planned::evidence)
                .isEqualTo("pods: pod failed, 0 restarts");
        assertThat(Explain.health(Evidence.known(new Health.Ready(KeeperScene.BEGIN))))
                .isEqualTo("ready");
        assertThat(Explain.health(Evidence.known(new NotListening()))).isEqualTo("does not listen");
    }

    @Test
    void ofTheSameActionForTwoReasonsOnce() {
        SceneComponent part = other().belongs(false).understudyServes();
        KeeperScene scene = KeeperScene.beside(CONTROLLER_MANAGER, part);
        scene.actions();
        scene.now = scene.now.plus(scene.settings.retireGrace());

        assertThat(scene.reasons()).containsExactly(Reason.PRINCIPAL_IS_BACK);
    }

    @Test
    void hasWordsForEverything() {
        for (Reason reason : Reason.values()) {
            assertThat(reason.description()).isNotBlank();
        }
        for (Condition condition : Condition.values()) {
            assertThat(condition.description()).isNotBlank();
        }
        assertThat(API_SERVER).hasToString("kube-system/kube-apiserver");
        assertThat(OLD).hasToString("01d00000");
        ComponentSeen nothing = ComponentSeen.unknown(Role.OTHER, "just began");
        assertThat(nothing.role()).isEqualTo(Role.OTHER);
        assertThat(nothing.material()).isEqualTo(Evidence.unknown("just began"));
    }
}
