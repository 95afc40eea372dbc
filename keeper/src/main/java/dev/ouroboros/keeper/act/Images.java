package dev.ouroboros.keeper.act;

import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.keeper.observe.NodeRuntime;
import java.nio.file.Path;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Archives of the images of checkpoints: the kubelet's garbage collection does not know that an understudy may need one. A missing
 * archive is a risk and no reason to go without a checkpoint; an image that cannot be brought back may still be pulled.
 */
public final class Images {
    private static final Logger LOG = LoggerFactory.getLogger(Images.class);

    private final NodeRuntime runtime;
    private final Path archives;

    /** @param archives directory that has them */
    public Images(NodeRuntime runtime, Path archives) {
        this.runtime = runtime;
        this.archives = archives;
    }

    void archive(Set<String> images) {
        for (String image : images) {
            try {
                runtime.archive(image, archives);
            } catch (ProblemException e) {
                LOG.warn("component=keeper event=not-archived image={} reason=\"{}\"", image, e.describe());
            }
        }
    }

    void restoreMissing(Set<String> images) {
        for (String image : images) {
            try {
                if (!runtime.hasImage(image)) {
                    runtime.restore(image, archives);
                    LOG.info("component=keeper event=image-restored image={}", image);
                }
            } catch (ProblemException e) {
                LOG.warn("component=keeper event=not-restored image={} reason=\"{}\"", image, e.describe());
            }
        }
    }
}
