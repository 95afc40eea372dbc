package dev.ouroboros.core.keeper;

import static dev.ouroboros.core.keeper.Part.NEW;
import static dev.ouroboros.core.keeper.Part.OLD;
import static dev.ouroboros.core.keeper.Scene.API_SERVER;
import static dev.ouroboros.core.keeper.Scene.CONTROLLER_MANAGER;
import static dev.ouroboros.core.keeper.Scene.KEEPER;
import static dev.ouroboros.core.keeper.Scene.OTHER;
import static dev.ouroboros.core.keeper.Scene.SCHEDULER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.core.component.Role;
import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.evidence.Health;
import dev.ouroboros.core.evidence.Health.NotReady;
import dev.ouroboros.core.front.FrontState;
import dev.ouroboros.core.keeper.Action.RemoveSelf;
import dev.ouroboros.core.keeper.Action.Retire;
import dev.ouroboros.core.keeper.Action.SaveCandidate;
import dev.ouroboros.core.keeper.Action.StopUnderstudy;
import dev.ouroboros.core.keeper.StaticManifest.Foreign;
import dev.ouroboros.core.keeper.StaticManifest.Ours;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

final class RetirementTest {
    private static final Settings TIMES = Settings.DEFAULT;
    private static final Duration GRACE = TIMES.retireGrace();

    private static Part api() {
        return new Part(Role.API_SERVER);
    }

    private static Part other() {
        return new Part(Role.CONTROLLER_MANAGER);
    }

    /** What asks for a checkpoint and is no part of the control plane. */
    private static Part somebodys() {
        return new Part(Role.OTHER);
    }

    private static Part scheduler() {
        return new Part(Role.SCHEDULER);
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
            Scene scene = Scene.beside(OTHER, somebodys().belongs(false).pods());

            assertThat(scene.actionsAfterNothingFor(GRACE)).containsExactly(new Retire(OTHER));
            assertThat(scene.reasons()).containsExactly(Reason.DOES_NOT_BELONG_HERE);
        }

        @Test
        void takesACandidateAlongThatIsAllThereIs() {
            Scene scene = Scene.beside(OTHER, somebodys().belongs(false).saved(Optional.of(NEW), Optional.empty()));

            assertThat(scene.actionsAfterNothingFor(GRACE)).containsExactly(new Retire(OTHER));
        }

        @Test
        void countsAnewWhenItWasUnknownInBetween() {
            Part part = somebodys().belongs(false);
            Scene scene = Scene.beside(OTHER, part);
            scene.actions();
            scene.now = scene.now.plus(GRACE).minusSeconds(1);
            part.belongs = Evidence.unknown("no API");
            scene.actions();
            part.belongs(false);

            assertThat(scene.actionsAfterNothingFor(GRACE)).containsExactly(new Retire(OTHER));
        }

        @Test
        void neverHappensOnUnknown() {
            Part part = somebodys().withoutApi();
            Scene scene = Scene.beside(OTHER, part);
            scene.actions();

            assertThat(scene.actionsAfter(Duration.ofDays(30))).isEmpty();
        }

        @Test
        void endsWhenNothingIsLeft() {
            Scene scene = Scene.beside(OTHER, somebodys().belongs(false).saved(Optional.empty(), Optional.empty()));
            scene.actions();

            assertThat(scene.actionsAfter(GRACE)).isEmpty();
        }

        @Test
        void waitsForADiskThatCannotBeRead() {
            Part part = somebodys().belongs(false);
            part.slots = Evidence.unknown("");
            Scene scene = Scene.beside(OTHER, part);
            scene.actions();

            assertThat(scene.actionsAfter(GRACE)).isEmpty();
        }

        @Test
        void stopsTheUnderstudyFirst() {
            Part part = somebodys().belongs(false).pods().understudyServes();
            Scene scene = Scene.beside(OTHER, part);
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
            Part part = somebodys().belongs(false);
            part.manifest = Evidence.unknown("");
            Scene scene = Scene.beside(OTHER, part);
            scene.actions();

            assertThat(scene.actionsAfter(GRACE)).isEmpty();
        }

        @Test
        void leavesAForeignManifestWhereItIs() {
            Scene scene = Scene.beside(OTHER, somebodys().belongs(false).manifest(new Foreign()));

            assertThat(scene.actionsAfterNothingFor(GRACE)).containsExactly(new Retire(OTHER));
        }

        @Test
        void doesNotHappenBesideALivingPodCheckpointer() {
            Scene scene = Scene.beside(OTHER, somebodys().belongs(false));
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
            for (Part part : List.of(
                    scheduler().switchedOff(), scheduler().belongs(false).pods())) {
                Scene scene = Scene.beside(SCHEDULER, part).with(CONTROLLER_MANAGER, other());
                scene.actions();

                assertThat(scene.actionsAfter(Duration.ofDays(30))).isEmpty();
                part.elsewhere = Evidence.unknown("the counts are old");
                assertThat(scene.actionsAfter(Duration.ofDays(30))).isEmpty();
            }
        }

        @Test
        void happensWhenOneIsReadyOnAnotherNodeAndSomebodyKeepsCount() {
            Part part = scheduler().belongs(false).pods();
            part.elsewhere = Evidence.known(1);
            Scene scene = Scene.beside(SCHEDULER, part).with(CONTROLLER_MANAGER, other());

            assertThat(scene.actionsAfterNothingFor(GRACE)).containsExactly(new Retire(SCHEDULER));
        }

        @Test
        void doesNotHappenByACountThatNobodyKeeps() {
            Part part = scheduler().belongs(false).pods();
            part.elsewhere = Evidence.known(1);
            Part manager = other().switchedOff();
            manager.elsewhere = Evidence.known(1);
            Scene scene = Scene.beside(SCHEDULER, part).with(CONTROLLER_MANAGER, manager);
            scene.actions();

            assertThat(scene.actionsAfter(Duration.ofDays(30))).isEmpty();
        }

        @Test
        void happensToTheOldNameOfOneThatServesAndIsSaved() {
            ComponentName renamed = new ComponentName("kube-system", "renamed");
            Part successor = scheduler().pods(Part.unreadyPod());
            Scene scene =
                    Scene.beside(SCHEDULER, scheduler().belongs(false).pods()).with(renamed, successor);
            scene.actions();
            assertThat(retirements(scene.actionsAfter(GRACE))).isEmpty();
            successor.pods(Part.readyPod()).saved(Optional.of(OLD), Optional.empty());
            scene.actions();
            assertThat(retirements(scene.actionsAfter(TIMES.steady()))).isEmpty();
            successor.saved(Optional.empty(), Optional.of(OLD));

            assertThat(scene.actions()).containsExactly(new Retire(SCHEDULER));
        }

        @Test
        void saysThatItsCheckpointIsKept() {
            Scene scene = Scene.beside(SCHEDULER, scheduler().switchedOff())
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
            Scene scene = Scene.of(api().belongs(false));
            scene.actions();

            assertThat(scene.actionsAfter(Duration.ofDays(30))).isEmpty();
            scene.otherApiServers = Evidence.unknown("no API");
            assertThat(scene.actionsAfter(Duration.ofDays(30))).isEmpty();
        }

        @Test
        void neverStopsTheLastUnderstudyThatServes() {
            Scene scene =
                    Scene.of(api().belongs(false).dead().understudyServes()).toUnderstudy();
            scene.actions();

            assertThat(scene.actionsAfter(Duration.ofDays(30))).isEmpty();
        }

        @Test
        void happensWhenAnotherNodeHasOne() {
            Scene scene = Scene.of(api().belongs(false).dead());
            scene.otherApiServers = Evidence.known(1);

            assertThat(scene.actionsAfterNothingFor(GRACE)).containsExactly(new Retire(API_SERVER));
        }

        @Test
        void stopsItsUnderstudyWhenAnotherNodeHasOne() {
            Scene scene =
                    Scene.of(api().belongs(false).dead().understudyServes()).toUnderstudy();
            scene.otherApiServers = Evidence.known(1);

            assertThat(scene.actionsAfterNothingFor(GRACE)).containsExactly(new StopUnderstudy(API_SERVER));
        }

        @Test
        void happensToTheOldNameOfOneThatServesAndIsSaved() {
            ComponentName renamed = new ComponentName("kube-system", "renamed");
            Scene scene = Scene.of(api().belongs(false)).with(renamed, api());

            assertThat(scene.actionsAfterNothingFor(GRACE)).containsExactly(new Retire(API_SERVER));
        }

        @Test
        void doesNotHappenToTheOldNameOfOneThatIsNotProven() {
            ComponentName renamed = new ComponentName("kube-system", "renamed");
            Part unsaved = api().saved(Optional.of(OLD), Optional.empty()).withoutApi();
            unsaved.belongs(true);
            Scene scene = Scene.of(api().belongs(false)).with(renamed, unsaved);
            scene.actions();
            assertThat(retirements(scene.actionsAfter(GRACE))).isEmpty();

            Scene unsure = Scene.of(api().belongs(false)).with(renamed, api().withoutApi());
            unsure.actions();
            assertThat(retirements(unsure.actionsAfter(GRACE))).isEmpty();
        }

        @Test
        void doesNotStopAnUnderstudyThatServesInsteadOfItsSuccessor() {
            ComponentName renamed = new ComponentName("kube-system", "renamed");
            Scene scene = Scene.of(api().belongs(false).dead().understudyServes())
                    .with(renamed, api().dead())
                    .toUnderstudy();
            scene.actions();

            assertThat(scene.actionsAfter(GRACE)).isEmpty();
        }
    }

    @Nested
    final class OfTheKeeper {
        private Scene unwanted() {
            Scene scene = Scene.of(api())
                    .with(CONTROLLER_MANAGER, other())
                    .with(KEEPER, new Part(Role.KEEPER).pods().belongs(false).manifest(new Ours(OLD)));
            scene.keeperWanted = Evidence.known(false);
            scene.staticCopy = true;
            return scene;
        }

        @Test
        void removesItsCheckpointsAndThenItselfAndLeavesWorkloadsAlone() {
            Scene scene = unwanted();
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
            Scene scene = unwanted();
            scene.actions();
            scene.now = scene.now.plus(GRACE).minusSeconds(1);
            scene.keeperWanted = Evidence.unknown("no API");
            scene.actions();
            scene.keeperWanted = Evidence.known(false);

            assertThat(scene.actionsAfterNothingFor(GRACE)).isNotEmpty();
        }

        @Test
        void waitsForASteadyPrincipal() {
            Scene scene = unwanted();
            scene.actions();
            scene.api().principal(new NotReady("[-]etcd failed"));
            assertThat(scene.actionsAfter(GRACE)).isEmpty();
            scene.principalReady();

            assertThat(scene.actionsAfterNothingFor(TIMES.steady())).hasSize(2);
        }

        @Test
        void waitsUntilClientsAreSentToThePrincipal() {
            Scene scene = unwanted();
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
            Scene scene = unwanted()
                    .with(CONTROLLER_MANAGER, other().pods(Part.unreadyPod()).understudyServes());
            scene.actions();

            assertThat(scene.actionsAfter(GRACE)).isEmpty();
        }

        @Test
        void stopsAnUnderstudyThatNobodyNeeds() {
            Scene scene = unwanted().with(CONTROLLER_MANAGER, other().pods().understudyServes());
            scene.actions();
            scene.now = scene.now.plus(GRACE).minusSeconds(1);
            scene.actions();
            scene.with(CONTROLLER_MANAGER, other().pods().belongs(false).understudyServes());

            assertThat(scene.actionsAfter(Duration.ofSeconds(1)))
                    .containsExactly(new StopUnderstudy(CONTROLLER_MANAGER));
        }

        @Test
        void savesNothingAnyMore() {
            Scene scene = unwanted().with(CONTROLLER_MANAGER, other().made(NEW));
            scene.actions();

            assertThat(scene.actionsAfter(GRACE)).noneMatch(action -> action instanceof SaveCandidate);
        }

        @Test
        void keepsTheStaticCopyOfOneThatIsOnlyRolled() {
            Scene scene = unwanted();
            scene.actions();

            assertThat(scene.actionsAfter(Duration.ofMinutes(1))).isEmpty();
        }

        @Test
        void waitsForADiskThatCannotBeRead() {
            Part unreadable = other();
            unreadable.slots = Evidence.unknown("");
            Scene scene = unwanted().with(CONTROLLER_MANAGER, unreadable);
            scene.api().saved(Optional.empty(), Optional.empty());
            scene.actions();

            assertThat(scene.actionsAfter(GRACE)).isEmpty();
        }

        @Test
        void endsWhereItKeepsNoApiServer() {
            Scene scene = new Scene();
            scene.keeperWanted = Evidence.known(false);

            assertThat(scene.actionsAfterNothingFor(GRACE)).containsExactly(new RemoveSelf());
        }

        @Test
        void doesNotHappenWhileStartIsAtWork() {
            Scene scene = unwanted();
            scene.start = Evidence.known(new Observation.StartSeen.AtWork());
            scene.actions();

            assertThat(scene.actionsAfter(GRACE)).isEmpty();
        }
    }
}
