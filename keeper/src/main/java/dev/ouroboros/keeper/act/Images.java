package dev.ouroboros.keeper.act;

import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.runtime.ContainerRuntime;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Archives of the images of checkpoints: the kubelet's garbage collection does not know that an understudy may need one. A missing
 * archive is a risk and no reason to go without a checkpoint; an image that cannot be brought back may still be pulled.
 */
public final class Images {
    private static final Logger LOG = LoggerFactory.getLogger(Images.class);

    private final ContainerRuntime runtime;
    private final Archive archive;

    /** Where images are kept besides the runtime; both fail with a {@link ProblemException}. */
    public interface Archive {
        /** Writes an image durably, if it is not there already. */
        void save(String reference);

        /** Gives an image back to the runtime. */
        void restore(String reference);

        /** Returns when what the runtime has unpacked is on the disk. */
        void sync();

        /** Removes the archives of all others. */
        void retainOnly(Set<String> references);
    }

    public Images(ContainerRuntime runtime, Archive archive) {
        this.runtime = runtime;
        this.archive = archive;
    }

    /**
     * Archives images in case the runtime loses them, and syncs what the runtime unpacked of them in case the power is cut: the
     * runtime does not sync that itself.
     */
    void archive(Set<String> images) {
        for (String image : images) {
            try {
                archive.save(image);
            } catch (ProblemException e) {
                LOG.warn("component=keeper event=not-archived image={} reason=\"{}\"", image, e.describe());
            }
        }
        try {
            archive.sync();
        } catch (ProblemException e) {
            LOG.warn("component=keeper event=not-synced reason=\"{}\"", e.describe());
        }
    }

    void retainOnly(Set<String> images) {
        archive.retainOnly(images);
    }

    void restoreMissing(Set<String> images) {
        for (String image : images) {
            try {
                if (!runtime.hasImage(image)) {
                    archive.restore(image);
                    LOG.info("component=keeper event=image-restored image={}", image);
                }
            } catch (ProblemException e) {
                LOG.warn("component=keeper event=not-restored image={} reason=\"{}\"", image, e.describe());
            }
        }
    }
}
