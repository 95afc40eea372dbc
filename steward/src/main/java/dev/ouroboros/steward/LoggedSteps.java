package dev.ouroboros.steward;

import dev.ouroboros.node.procedure.ProcedureListener;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a procedure does and waits for, in the log. */
final class LoggedSteps implements ProcedureListener {
    private static final Logger LOG = LoggerFactory.getLogger(LoggedSteps.class);

    @Override
    public void did(String what) {
        LOG.info("component=steward event=job-step step=\"{}\"", what);
    }

    @Override
    public void waits(String why, Duration since) {
        LOG.info("component=steward event=job-waits reason=\"{}\" seconds={}", why, since.toSeconds());
    }
}
