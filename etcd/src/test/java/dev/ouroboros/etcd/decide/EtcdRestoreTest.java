package dev.ouroboros.etcd.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.procedure.testing.KilledAnywhere;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

final class EtcdRestoreTest {
    private final EtcdRestore restore = new EtcdRestore(Duration.ofSeconds(30));

    @Test
    void replacesTheDataAndKeepsTheFormer() {
        ModelEtcdNode node = new ModelEtcdNode();
        assertThat(node.run(restore).phase()).isEqualTo(RestorePhase.DONE);
        assertThat(node.data).hasValue(ModelEtcdNode.RESTORED);
        assertThat(node.aside).hasValue(ModelEtcdNode.FORMER);
        assertThat(node.manifest && node.running).isTrue();
        assertThat(node.stale).isFalse();
    }

    @Test
    void worksOnANodeThatNeverHadData() {
        ModelEtcdNode node = new ModelEtcdNode();
        node.data = Optional.empty();
        node.running = false;
        assertThat(node.run(restore).phase()).isEqualTo(RestorePhase.DONE);
        assertThat(node.data).hasValue(ModelEtcdNode.RESTORED);
    }

    @Test
    void touchesNothingWhenTheToolFails() {
        ModelEtcdNode node = new ModelEtcdNode();
        node.toolFails = true;
        assertThat(node.run(restore).phase()).isEqualTo(RestorePhase.FAILED);
        assertThat(node.data).hasValue(ModelEtcdNode.FORMER);
        assertThat(node.manifest && node.running).isTrue();
        assertThat(node.kept).isFalse();
    }

    @Test
    void putsTheFormerDataBackWhenEtcdDoesNotStart() {
        ModelEtcdNode node = new ModelEtcdNode();
        node.restoredDataIsGood = false;
        assertThat(node.run(restore).phase()).isEqualTo(RestorePhase.FAILED);
        assertThat(node.data).hasValue(ModelEtcdNode.FORMER);
        assertThat(node.rejected).hasValue(ModelEtcdNode.RESTORED);
        assertThat(node.manifest && node.running).isTrue();
    }

    /** A kubelet waits for up to five minutes before it starts again what has crashed for long, whatever it would find now. */
    @Test
    void givesAnEtcdThatCrashedForLongTheTimeThatItsKubeletTakes() {
        RestoreState starting = new RestoreState(RestorePhase.STARTING, Instant.EPOCH, Instant.EPOCH, List.of());
        Evidence<Boolean> no = Evidence.known(false);
        Evidence<Boolean> yes = Evidence.known(true);
        RestoreSeen silent = new RestoreSeen(no, yes, yes, yes, yes, no, no, no, true, Optional.empty());

        assertThat(phaseAfter(Duration.ofSeconds(329), silent, starting)).isEqualTo(RestorePhase.STARTING);
        assertThat(phaseAfter(Duration.ofSeconds(330), silent, starting)).isEqualTo(RestorePhase.ROLLING_BACK);
    }

    private RestorePhase phaseAfter(Duration time, RestoreSeen seen, RestoreState state) {
        return restore.decide(seen, state, Instant.EPOCH.plus(time)).state().phase();
    }

    @Test
    void givesTheManifestBackWhenTheContainerDoesNotEnd() {
        ModelEtcdNode node = new ModelEtcdNode();
        node.containerNeverEnds = true;
        assertThat(node.run(restore).phase()).isEqualTo(RestorePhase.FAILED);
        assertThat(node.data).hasValue(ModelEtcdNode.FORMER);
        assertThat(node.manifest).isTrue();
    }

    @Test
    void renamesNothingWhileTheRuntimeIsSilent() {
        ModelEtcdNode node = new ModelEtcdNode();
        node.runtimeIsSilent = true;
        assertThat(node.run(restore).phase()).isEqualTo(RestorePhase.FAILED);
        assertThat(node.data).hasValue(ModelEtcdNode.FORMER);
    }

    @Test
    void goesOnAfterAPowerCutAtAnyStep() throws Exception {
        everyCut(node -> {}, node -> {
            assertThat(node.journal.orElseThrow().phase()).isEqualTo(RestorePhase.DONE);
            assertThat(node.data).hasValue(ModelEtcdNode.RESTORED);
            assertThat(node.aside).hasValue(ModelEtcdNode.FORMER);
        });
    }

    @Test
    void rollsBackAfterAPowerCutAtAnyStep() throws Exception {
        everyCut(node -> node.restoredDataIsGood = false, node -> {
            assertThat(node.journal.orElseThrow().phase()).isEqualTo(RestorePhase.FAILED);
            assertThat(node.data).hasValue(ModelEtcdNode.FORMER);
        });
    }

    private void everyCut(Consumer<ModelEtcdNode> made, Consumer<ModelEtcdNode> claim) throws Exception {
        int cuts = KilledAnywhere.checkPairs(() -> {
            ModelEtcdNode node = new ModelEtcdNode();
            made.accept(node);
            return new KilledAnywhere.World() {
                @Override
                public void run(KilledAnywhere.Place end) {
                    if (node.journal.filter(state -> state.phase().isFinal()).isEmpty()) {
                        node.run(restore, end);
                    }
                }

                @Override
                public void judge(int killed) {
                    assertThat(node.manifest).isTrue();
                    claim.accept(node);
                }
            };
        });
        assertThat(cuts).isGreaterThan(20);
    }
}
