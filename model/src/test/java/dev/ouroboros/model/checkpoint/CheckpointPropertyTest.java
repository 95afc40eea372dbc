package dev.ouroboros.model.checkpoint;

import static dev.ouroboros.model.checkpoint.PodFixture.NEW;
import static dev.ouroboros.model.checkpoint.PodFixture.RULES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.longs;

import dev.ouroboros.model.checkpoint.Checkpointing.Result;
import dev.ouroboros.model.checkpoint.References.Reference;
import dev.ouroboros.model.checkpoint.StaticPodRule.Subject;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.Problem;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.quicktheories.core.Gen;

/** What holds for every pod, tried on pods that are made of everything a pod can refer to. */
final class CheckpointPropertyTest {
    private static final int EXAMPLES = 300;

    private static Gen<RandomPod> pods() {
        return longs().all().map(RandomPod::new);
    }

    @Test
    void leavesNoReferenceToAnApiObjectInAnAcceptedStaticPod() {
        qt().withExamples(EXAMPLES).forAll(pods()).checkAssert(random -> {
            if (random.result() instanceof Result.Complete(Checkpoint checkpoint)) {
                Json understudy = Understudy.of(checkpoint, "/files");

                assertThat(References.of(understudy).all()).isEmpty();
                assertThat(RULES.judge(understudy, Subject.STATIC, NEW)).isEmpty();
            }
        });
    }

    @Test
    void savesOrRefusesEveryReference() {
        qt().withExamples(EXAMPLES).forAll(pods()).checkAssert(random -> {
            List<Reference> references = References.of(random.pod()).all();
            switch (random.result()) {
                case Result.Complete(Checkpoint checkpoint) -> {
                    String everything = Canonical.toString(checkpoint.pod())
                            + checkpoint.files().stream().map(PodFixture::text).toList();
                    assertThat(references)
                            .filteredOn(reference -> random.exists(reference.object()) && !random.isHidden(reference))
                            .allSatisfy(reference -> assertThat(everything).contains(random.mark(reference.object())));
                    assertThat(references)
                            .filteredOn(reference -> !random.exists(reference.object()))
                            .allSatisfy(reference ->
                                    assertThat(reference.optional()).isTrue());
                }
                case Result.Refused(List<Problem> problems) -> {
                    assertThat(problems).isNotEmpty();
                    assertThat(problems)
                            .allSatisfy(problem -> assertThat(problem.where()).startsWith("spec."));
                }
            }
        });
    }

    @Test
    void makesTheSameOfTheSamePodInAnyOrderOfFields() {
        qt().withExamples(EXAMPLES).forAll(pods()).checkAssert(random -> {
            assertThat(random.resultOf(RandomPod.reversed(random.pod()))).isEqualTo(random.result());
        });
    }

    @Test
    void changesNothingMoreWhenASanitizedPodIsSanitizedAgain() {
        qt().withExamples(EXAMPLES).forAll(pods()).checkAssert(random -> {
            if (random.result() instanceof Result.Complete(Checkpoint checkpoint)) {
                Json.Fields named =
                        checkpoint.pod().with("metadata", random.pod().at("metadata"));
                ReferencedObjects none = new ReferencedObjects("kube-system", java.util.Map.of());

                assertThat(new Sanitizing(RULES, named, none, NEW).result().pod())
                        .isEqualTo(checkpoint.pod());
            }
        });
    }

    @Test
    void changesNothingMoreWhenAnUnderstudyIsMadeOfAnUnderstudy() {
        qt().withExamples(EXAMPLES).forAll(pods()).checkAssert(random -> {
            if (random.result() instanceof Result.Complete(Checkpoint checkpoint)) {
                Json.Fields once = Understudy.of(checkpoint, "/files");
                Checkpoint again = new Checkpoint(checkpoint.component(), checkpoint.role(), once, checkpoint.files());

                assertThat(Understudy.of(again, "/files").at("spec")).isEqualTo(once.at("spec"));
            }
        });
    }

    @Test
    void hasEqualRevisionsExactlyForEqualContent() {
        qt().withExamples(EXAMPLES).forAll(pods(), pods()).checkAssert((one, other) -> {
            if (one.result() instanceof Result.Complete(Checkpoint first)
                    && other.result() instanceof Result.Complete(Checkpoint second)) {
                boolean same = first.pod().equals(second.pod()) && first.files().equals(second.files());

                assertThat(first.revision().equals(second.revision())).isEqualTo(same);
            }
        });
    }
}
