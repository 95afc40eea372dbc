package dev.ouroboros.keeper.decide;

import static dev.ouroboros.keeper.decide.KeeperScene.API_SERVER;
import static dev.ouroboros.keeper.decide.KeeperScene.CONTROLLER_MANAGER;
import static dev.ouroboros.keeper.decide.KeeperScene.KEEPER;
import static dev.ouroboros.keeper.decide.KeeperScene.OTHER;
import static dev.ouroboros.keeper.decide.KeeperScene.SCHEDULER;
import static dev.ouroboros.keeper.decide.SceneComponent.NEW;
import static dev.ouroboros.keeper.decide.SceneComponent.OLD;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.keeper.decide.Action.RemoveSelf;
import dev.ouroboros.keeper.decide.Action.Retire;
import dev.ouroboros.keeper.decide.Action.SaveCandidate;
import dev.ouroboros.keeper.decide.Action.StopUnderstudy;
import dev.ouroboros.keeper.decide.StaticManifest.Foreign;
import dev.ouroboros.keeper.decide.StaticManifest.Ours;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.evidence.Health.NotReady;
import dev.ouroboros.model.front.FrontState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

final class RetirementTest {
    private static final KeeperSettings TIMES = KeeperSettings.DEFAULT;
    private static final Duration GRACE = TIMES.retireGrace();

    private static SceneComponent api() {
        return new SceneComponent(Role.API_SERVER);
    }

    private static SceneComponent other() {
        return new SceneComponent(Role.CONTROLLER_MANAGER);
    }

    /** What asks for a checkpoint and is no part of the control plane. */
    private static SceneComponent somebodys() {
        return new SceneComponent(Role.OTHER);
    }

    private static SceneComponent scheduler() {
        return new SceneComponent(Role.SCHEDULER);
    }

    private static List<Action> retirements(List<Action> actions) {
        return actions.stream()
                .filter(action -> action instanceof Retire || action instanceof RemoveSelf)
                .toList();
    }

    @Nested
    final class OfAComponent {
        @Test
        void happensWhenItIsKnownForTheGracePeriodNotToBelongHere() {
            KeeperScene scene =
                    KeeperScene.beside(OTHER, somebodys().belongs(false).pods());

            assertThat(scene.actionsAfterNothingFor(GRACE)).containsExactly(new Retire(OTHER));
            assertThat(scene.reasons()).containsExactly(Reason.DOES_NOT_BELONG_HERE);
        }

        @Test
        void takesACandidateAlongThatIsAllThereIs() {
            KeeperScene scene =
                    KeeperScene.beside(OTHER, somebodys().belongs(false).saved(Optional.of(NEW), Optional.empty()));

            assertThat(scene.actionsAfterNothingFor(GRACE)).containsExactly(new Retire(OTHER));
        }

        @Test
        void countsAnewWhenItWasUnknownInBetween() {
            SceneComponent part = somebodys().belongs(false);
            KeeperScene scene = KeeperScene.beside(OTHER, part);
            scene.actions();
            scene.now = scene.now.plus(GRACE).minusSeconds(1);
            part.belongs = Evidence.unknown("no API");
            scene.actions();
            part.belongs(false);

            assertThat(scene.actionsAfterNothingFor(GRACE)).containsExactly(new Retire(OTHER));
        }

        @Test
        void neverHappensOnUnknown() {
            SceneComponent part = somebodys().withoutApi();
            KeeperScene scene = KeeperScene.beside(OTHER, part);
            scene.actions();

            assertThat(scene.actionsAfter(Duration.ofDays(30))).isEmpty();
        }

        @Test
        void endsWhenNothingIsLeft() {
            KeeperScene scene =
                    KeeperScene.beside(OTHER, somebodys().belongs(false).saved(Optional.empty(), Optional.empty()));
            scene.actions();

            assertThat(scene.actionsAfter(GRACE)).isEmpty();
        }

        @Test
        void waitsForADiskThatCannotBeRead() {
            SceneComponent part = somebodys().belongs(false);
            part.slots = Evidence.unknown("");
            KeeperScene scene = KeeperScene.beside(OTHER, part);
            scene.actions();

            assertThat(scene.actionsAfter(GRACE)).isEmpty();
        }

        @Test
        void stopsTheUnderstudyFirst() {
            SceneComponent part = somebodys().belongs(false).pods().understudyServes();
            KeeperScene scene = KeeperScene.beside(OTHER, part);
            assertThat(scene.actionsAfterNothingFor(GRACE)).containsExactly(new StopUnderstudy(OTHER));
            part.manifest(new StaticManifest.Absent());
            assertThat(scene.actions()).isEmpty();
            part.understudyRuns = Evidence.unknown("the runtime hangs");
            assertThat(scene.actions()).isEmpty();
            part.understudyRuns = Evidence.known(Running.STOPPED);
            assertThat(scene.actions()).isEmpty();
            part.understudy(new Health.NotListening());

            assertThat(scene.actions()).containsExactly(new Retire(OTHER));
        }

        @Test
        void waitsForAManifestDirectoryThatCannotBeRead() {
            SceneComponent part = somebodys().belongs(false);
            part.manifest = Evidence.unknown("");
            KeeperScene scene = KeeperScene.beside(OTHER, part);
            scene.actions();

            assertThat(scene.actionsAfter(GRACE)).isEmpty();
        }

        @Test
        void leavesAForeignManifestWhereItIs() {
            KeeperScene scene =
                    KeeperScene.beside(OTHER, somebodys().belongs(false).manifest(new Foreign()));

            assertThat(scene.actionsAfterNothingFor(GRACE)).containsExactly(new Retire(OTHER));
        }

        @Test
        void doesNotHappenBesideALivingPodCheckpointer() {
            KeeperScene scene = KeeperScene.beside(OTHER, somebodys().belongs(false));
            scene.podCheckpointer = Evidence.known(true);
            scene.actions();

            assertThat(scene.actionsAfter(GRACE)).isEmpty();
        }
    }

    /** Of the controller manager it is the same. */
    @Nested
    final class OfAScheduler {
        @Test
        void neverHappensToTheLastThatIsKnownWhateverItsControllerAsksFor() {
            for (SceneComponent part : List.of(
                    scheduler().switchedOff(), scheduler().belongs(false).pods())) {
                KeeperScene scene = KeeperScene.beside(SCHEDULER, part).with(CONTROLLER_MANAGER, other());
                scene.actions();

                assertThat(scene.actionsAfter(Duration.ofDays(30))).isEmpty();
                part.elsewhere = Evidence.unknown("the counts are old");
                assertThat(scene.actionsAfter(Duration.ofDays(30))).isEmpty();
            }
        }

        @Test
        void happensWhenOneIsReadyOnAnotherNodeAndSomebodyKeepsCount() {
            SceneComponent part = scheduler().belongs(false).pods();
            part.elsewhere = Evidence.known(1);
            KeeperScene scene = KeeperScene.beside(SCHEDULER, part).with(CONTROLLER_MANAGER, other());

            assertThat(scene.actionsAfterNothingFor(GRACE)).containsExactly(new Retire(SCHEDULER));
        }

        @Test
        void doesNotHappenByACountThatNobodyKeeps() {
            SceneComponent part = scheduler().belongs(false).pods();
            part.elsewhere = Evidence.known(1);
            SceneComponent manager = other().switchedOff();
            manager.elsewhere = Evidence.known(1);
            KeeperScene scene = KeeperScene.beside(SCHEDULER, part).with(CONTROLLER_MANAGER, manager);
            scene.actions();

            assertThat(scene.actionsAfter(Duration.ofDays(30))).isEmpty();
        }

        /** Seed 7641: it waits for the Lease of its predecessor to expire, and the counts are from before it all went. */
        @Test
        void doesNotHappenByTheCountsThatAControllerManagerFindsWhenItBegins() {
            SceneComponent part = scheduler().belongs(false).pods();
            part.elsewhere = Evidence.known(1);
            SceneComponent manager = other().wantedAgain();
            KeeperScene scene = KeeperScene.beside(SCHEDULER, part).with(CONTROLLER_MANAGER, manager);
            scene.actions();
            scene.now = scene.now.plus(GRACE);
            manager.understudyServes().understudy(new Health.Ready(scene.now));
            assertThat(retirements(scene.actions())).isEmpty();
            assertThat(retirements(scene.actionsAfter(GRACE.minusSeconds(1)))).isEmpty();

            assertThat(retirements(scene.actionsAfter(Duration.ofSeconds(1)))).containsExactly(new Retire(SCHEDULER));
        }

        @Test
        void happensToTheOldNameOfOneThatServesAndIsSaved() {
            ComponentName renamed = new ComponentName("kube-system", "renamed");
            SceneComponent successor = scheduler().pods(SceneComponent.unreadyPod());
            KeeperScene scene = KeeperScene.beside(
                            SCHEDULER, scheduler().belongs(false).pods())
                    .with(renamed, successor);
            scene.actions();
            assertThat(retirements(scene.actionsAfter(GRACE))).isEmpty();
            successor.pods(SceneComponent.readyPod()).saved(Optional.of(OLD), Optional.empty());
            scene.actions();
            assertThat(retirements(scene.actionsAfter(TIMES.steady()))).isEmpty();
            successor.saved(Optional.empty(), Optional.of(OLD));

            assertThat(scene.actions()).containsExactly(new Retire(SCHEDULER));
        }

        @Test
        void saysThatItsCheckpointIsKept() {
            KeeperScene scene = KeeperScene.beside(SCHEDULER, scheduler().switchedOff())
                    .with(CONTROLLER_MANAGER, other().belongs(false).pods());

            assertThat(scene.status(SCHEDULER).condition()).isEqualTo(Condition.SWITCHED_OFF);
            assertThat(scene.status(SCHEDULER).waitsFor()).contains("replicas").contains("checkpoint is kept");
            assertThat(scene.status(CONTROLLER_MANAGER).condition()).isEqualTo(Condition.KEPT);
        }
    }

    @Nested
    final class OfAnApiServer {
        @Test
        void neverHappensToTheLastOneOfTheCluster() {
            KeeperScene scene = KeeperScene.of(api().belongs(false));
            scene.actions();

            assertThat(scene.actionsAfter(Duration.ofDays(30))).isEmpty();
            scene.otherApiServers = Evidence.unknown("no API");
            assertThat(scene.actionsAfter(Duration.ofDays(30))).isEmpty();
        }

        @Test
        void neverStopsTheLastUnderstudyThatServes() {
            KeeperScene scene = KeeperScene.of(api().belongs(false).dead().understudyServes())
                    .toUnderstudy();
            scene.actions();

            assertThat(scene.actionsAfter(Duration.ofDays(30))).isEmpty();
        }

        @Test
        void happensWhenAnotherNodeHasOne() {
            KeeperScene scene = KeeperScene.of(api().belongs(false).dead());
            scene.otherApiServers = Evidence.known(1);

            assertThat(scene.actionsAfterNothingFor(GRACE)).containsExactly(new Retire(API_SERVER));
        }

        /** Its keys are not to lie there for longer than they must. */
        @Test
        void happensSoonerOnANodeWithoutTheLabel() {
            KeeperScene scene = KeeperScene.of(api().belongs(false).dead());
            scene.otherApiServers = Evidence.known(1);
            scene.node = Evidence.known(KeeperScene.node(false, false));

            assertThat(scene.actionsAfterNothingFor(TIMES.leaveGrace())).containsExactly(new Retire(API_SERVER));
        }

        @Test
        void stopsItsUnderstudyWhenAnotherNodeHasOne() {
            KeeperScene scene = KeeperScene.of(api().belongs(false).dead().understudyServes())
                    .toUnderstudy();
            scene.otherApiServers = Evidence.known(1);

            assertThat(scene.actionsAfterNothingFor(GRACE)).containsExactly(new StopUnderstudy(API_SERVER));
        }

        @Test
        void happensToTheOldNameOfOneThatServesAndIsSaved() {
            ComponentName renamed = new ComponentName("kube-system", "renamed");
            KeeperScene scene = KeeperScene.of(api().belongs(false)).with(renamed, api());

            assertThat(scene.actionsAfterNothingFor(GRACE)).containsExactly(new Retire(API_SERVER));
        }

        @Test
        void doesNotHappenToTheOldNameOfOneThatIsNotProven() {
            ComponentName renamed = new ComponentName("kube-system", "renamed");
            SceneComponent unsaved =
                    api().saved(Optional.of(OLD), Optional.empty()).withoutApi();
            unsaved.belongs(true);
            KeeperScene scene = KeeperScene.of(api().belongs(false)).with(renamed, unsaved);
            scene.actions();
            assertThat(retirements(scene.actionsAfter(GRACE))).isEmpty();

            KeeperScene unsure = KeeperScene.of(api().belongs(false)).with(renamed, api().withoutApi());
            unsure.actions();
            assertThat(retirements(unsure.actionsAfter(GRACE))).isEmpty();
        }

        @Test
        void doesNotStopAnUnderstudyThatServesInsteadOfItsSuccessor() {
            ComponentName renamed = new ComponentName("kube-system", "renamed");
            KeeperScene scene = KeeperScene.of(api().belongs(false).dead().understudyServes())
                    .with(renamed, api().dead())
                    .toUnderstudy();
            scene.actions();

            assertThat(scene.actionsAfter(GRACE)).isEmpty();
        }
    }

    @Nested
    final class OfTheKeeper {
        private KeeperScene unwanted() {
            KeeperScene scene = KeeperScene.of(api())
                    .with(CONTROLLER_MANAGER, other())
                    .with(
                            KEEPER,
                            new SceneComponent(Role.KEEPER)
                                    .pods()
                                    .belongs(false)
                                    .manifest(new Ours(OLD)));
            scene.keeperWanted = Evidence.known(false);
            scene.staticCopy = true;
            return scene;
        }

        @Test
        void removesItsCheckpointsAndThenItselfAndLeavesWorkloadsAlone() {
            KeeperScene scene = unwanted();
            assertThat(scene.actionsAfterNothingFor(GRACE))
                    .containsExactly(new Retire(API_SERVER), new Retire(CONTROLLER_MANAGER));
            assertThat(scene.reasons()).containsOnly(Reason.KEEPER_WAS_REMOVED);
            scene.api().saved(Optional.empty(), Optional.empty());
            assertThat(scene.actions()).containsExactly(new Retire(CONTROLLER_MANAGER));
            scene.with(CONTROLLER_MANAGER, other().saved(Optional.empty(), Optional.empty()));

            assertThat(scene.actions()).containsExactly(new RemoveSelf());
        }

        @Test
        void countsAnewWhenTheDaemonSetWasThereOrUnknown() {
            KeeperScene scene = unwanted();
            scene.actions();
            scene.now = scene.now.plus(GRACE).minusSeconds(1);
            scene.keeperWanted = Evidence.unknown("no API");
            scene.actions();
            scene.keeperWanted = Evidence.known(false);

            assertThat(scene.actionsAfterNothingFor(GRACE)).isNotEmpty();
        }

        @Test
        void waitsForASteadyPrincipal() {
            KeeperScene scene = unwanted();
            scene.actions();
            scene.api().principal(new NotReady("[-]etcd failed"));
            assertThat(scene.actionsAfter(GRACE)).isEmpty();
            scene.principalReady();

            assertThat(scene.actionsAfterNothingFor(TIMES.steady())).hasSize(2);
        }

        @Test
        void waitsUntilClientsAreSentToThePrincipal() {
            KeeperScene scene = unwanted();
            scene.actions();
            scene.front(new FrontState.Unknown("nft failed"));
            assertThat(scene.actionsAfter(GRACE)).isEmpty();
            scene.front(new FrontState.Foreign("firewalld"));
            assertThat(scene.actions()).isEmpty();
            scene.front(new FrontState.NotInstalled());

            assertThat(retirements(scene.actions())).hasSize(2);
        }

        @Test
        void keepsEverythingWhileAnUnderstudyIsNeeded() {
            KeeperScene scene = unwanted()
                    .with(
                            CONTROLLER_MANAGER,
                            other().pods(SceneComponent.unreadyPod()).understudyServes());
            scene.actions();

            assertThat(scene.actionsAfter(GRACE)).isEmpty();
        }

        @Test
        void stopsAnUnderstudyThatNobodyNeeds() {
            KeeperScene scene =
                    unwanted().with(CONTROLLER_MANAGER, other().pods().understudyServes());
            scene.actions();
            scene.now = scene.now.plus(GRACE).minusSeconds(1);
            scene.actions();
            scene.with(CONTROLLER_MANAGER, other().pods().belongs(false).understudyServes());

            assertThat(scene.actionsAfter(Duration.ofSeconds(1)))
                    .containsExactly(new StopUnderstudy(CONTROLLER_MANAGER));
        }

        @Test
        void savesNothingAnyMore() {
            KeeperScene scene = unwanted().with(CONTROLLER_MANAGER, other().made(NEW));
            scene.actions();

            assertThat(scene.actionsAfter(GRACE)).noneMatch(action -> action instanceof SaveCandidate);
        }

        @Test
        void keepsTheStaticCopyOfOneThatIsOnlyRolled() {
            KeeperScene scene = unwanted();
            scene.actions();

            assertThat(scene.actionsAfter(Duration.ofMinutes(1))).isEmpty();
        }

        @Test
        void waitsForADiskThatCannotBeRead() {
            SceneComponent unreadable = other();
            unreadable.slots = Evidence.unknown("");
            KeeperScene scene = unwanted().with(CONTROLLER_MANAGER, unreadable);
            scene.api().saved(Optional.empty(), Optional.empty());
            scene.actions();

            assertThat(scene.actionsAfter(GRACE)).isEmpty();
        }

        @Test
        void endsWhereItKeepsNoApiServer() {
            KeeperScene scene = new KeeperScene();
            scene.keeperWanted = Evidence.known(false);

            assertThat(scene.actionsAfterNothingFor(GRACE)).containsExactly(new RemoveSelf());
        }

        /** Power was lost between the last file of the API server's checkpoints and their directory. */
        @Test
        void endsWhereOnlyADirectoryOfTheApiServerIsLeft() {
            KeeperScene scene = unwanted()
                    .with(
                            CONTROLLER_MANAGER,
                            other().pods().belongs(false).dead().saved(Optional.empty(), Optional.empty()));
            scene.api().pods().belongs(false).dead().saved(Optional.empty(), Optional.empty());

            assertThat(scene.actionsAfterNothingFor(GRACE)).containsExactly(new RemoveSelf());
        }

        /** Seen on a node that lost its label: the front led to an understudy that was gone, until its lease ended after five minutes. */
        @Test
        void endsWhereNoServerIsLeftWhereverTheFrontLeads() {
            KeeperScene scene = new KeeperScene().toUnderstudy();
            scene.keeperWanted = Evidence.known(false);

            assertThat(scene.actionsAfterNothingFor(GRACE)).containsExactly(new RemoveSelf());
        }

        @Test
        void staysWhileAnApiServerWithoutAPodBelongsHere() {
            KeeperScene scene = unwanted()
                    .with(
                            CONTROLLER_MANAGER,
                            other().pods().belongs(false).dead().saved(Optional.empty(), Optional.empty()));
            scene.api().pods().dead().saved(Optional.empty(), Optional.empty());
            scene.actions();

            assertThat(scene.actionsAfter(GRACE)).doesNotContain(new RemoveSelf());
        }

        @Test
        void doesNotHappenWhileStartIsAtWork() {
            KeeperScene scene = unwanted();
            scene.start = Evidence.known(new Observation.StartSeen.AtWork());
            scene.actions();

            assertThat(scene.actionsAfter(GRACE)).isEmpty();
        }
    }
}
