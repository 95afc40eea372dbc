package dev.ouroboros.keeper.act;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.runtime.RuntimePod;
import dev.ouroboros.runtime.ContainerRuntime;
import dev.ouroboros.runtime.RuntimeVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** A node without one of its images, or an archive that cannot help, is a risk and no reason to go without. */
final class ImagesTest {
    private final Set<String> present = new TreeSet<>(Set.of("localhost/here:1"));
    private final List<String> done = new ArrayList<>();
    private final Images images = new Images(new NodeRuntime(), new Archive());
    private boolean broken;

    @Test
    void restoresOnlyWhatIsGone() {
        images.restoreMissing(new TreeSet<>(Set.of("localhost/gone:1", "localhost/here:1")));

        assertThat(done).containsExactly("restore localhost/gone:1");
    }

    @Test
    void goesOnWithoutAnImageThatCannotBeRestored() {
        broken = true;

        assertThatCode(() -> images.restoreMissing(Set.of("localhost/gone:1"))).doesNotThrowAnyException();
    }

    @Test
    void syncsAfterItArchived() {
        images.archive(Set.of("localhost/here:1"));

        assertThat(done).containsExactly("save localhost/here:1", "sync");
    }

    @Test
    void aCheckpointIsSavedWithoutAnArchiveToo() {
        broken = true;

        assertThatCode(() -> images.archive(Set.of("localhost/here:1"))).doesNotThrowAnyException();
    }

    private void does(String what) {
        if (broken) {
            throw ProblemException.of(ErrorCode.DISK, what, "No space left on device", "", "try again");
        }
        done.add(what);
    }

    private final class Archive implements Images.Archive {
        @Override
        public void save(String reference) {
            does("save " + reference);
        }

        @Override
        public void restore(String reference) {
            does("restore " + reference);
        }

        @Override
        public void sync() {
            does("sync");
        }

        @Override
        public void retainOnly(Set<String> references) {
            does("retain " + references);
        }
    }

    private final class NodeRuntime implements ContainerRuntime {
        @Override
        public RuntimeVersion version() {
            throw new UnsupportedOperationException("nobody asks");
        }

        @Override
        public List<RuntimePod> pods() {
            return List.of();
        }

        @Override
        public boolean hasImage(String reference) {
            return present.contains(reference);
        }
    }
}
