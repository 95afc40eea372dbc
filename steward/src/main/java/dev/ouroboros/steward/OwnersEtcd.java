package dev.ouroboros.steward;

import dev.ouroboros.api.ApiException;
import dev.ouroboros.steward.decide.ControlPlaneObject;
import dev.ouroboros.steward.decide.ControlPlaneStatus.Scaling;
import dev.ouroboros.steward.decide.ScaleReport;
import java.util.Optional;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An etcd that its owner manages: its members stay as they are, and a wish for them in the object is answered by saying so. */
final class OwnersEtcd implements EtcdManagement {
    private static final Logger LOG = LoggerFactory.getLogger(OwnersEtcd.class);
    private static final Told NOTHING = new Told(Optional.empty(), Optional.empty(), Optional.empty());

    private final Leadership leadership;

    OwnersEtcd(Leadership leadership) {
        this.leadership = leadership;
    }

    @Override
    public Told turn(ControlPlaneObject object, WishSource.Seen now) {
        try {
            return leadership.hold(true)
                    ? new Told(
                            Optional.of(new Scaling(ScaleReport.ofOwnersEtcd(object), OptionalInt.empty())),
                            Optional.empty(),
                            Optional.empty())
                    : NOTHING;
        } catch (ApiException e) {
            LOG.warn("component=steward event=lease-unknown reason=\"{}\"", e.getMessage());
            return NOTHING;
        }
    }
}
