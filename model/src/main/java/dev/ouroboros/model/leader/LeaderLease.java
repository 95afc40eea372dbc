package dev.ouroboros.model.leader;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.json.Json;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The Lease of a leader that somebody holds. A leader that is killed does not release it, and every other candidate waits for its end, 15 s later by Kubernetes' default.
 * Who knows that the holder has ended can release it at once, as client-go's ReleaseOnCancel does.
 *
 * @param holder client-go's identity: {@code <host name>_<UUID>}, another one for each process
 * @param acquired when the holder took it, by the holder's clock
 * @param renewed when the holder renewed it last, by the holder's clock
 */
public record LeaderLease(Component component, String holder, Instant acquired, Instant renewed) {
    /** Those that elect a leader. Each has a Lease of its own name in kube-system. */
    public static final List<Component> LEADERS = List.of(Component.CONTROLLER_MANAGER, Component.SCHEDULER);

    /** What is held of a Lease as the API has it; empty when nobody holds it, or when it does not say since when. */
    public static Optional<LeaderLease> of(Component component, Json lease) {
        Json spec = lease.at("spec");
        Optional<Instant> acquired = time(spec.at("acquireTime"));
        Optional<Instant> renewed = time(spec.at("renewTime"));
        return spec.at("holderIdentity")
                .text()
                .filter(holder -> !holder.isEmpty() && acquired.isPresent() && renewed.isPresent())
                .map(holder -> new LeaderLease(component, holder, acquired.orElseThrow(), renewed.orElseThrow()));
    }

    private static Optional<Instant> time(Json text) {
        try {
            return text.text().map(Instant::parse);
        } catch (DateTimeException _) {
            // Nobody's Lease is released for a time that cannot be read.
            return Optional.empty();
        }
    }

    /**
     * Whether the process that holds it has this host name: a pod's name, or a node's for a pod in the node's network, whose Node has it in
     * lower case.
     */
    public boolean isOf(String hostName) {
        int end = holder.lastIndexOf('_');
        return hostName.equalsIgnoreCase(end < 0 ? holder : holder.substring(0, end));
    }

    /** The Lease without a holder. An empty one is taken for none; a candidate waits for the end of any other from when it first saw it. */
    public static Json.Fields released(Json lease) {
        Json.Fields spec = lease.at("spec") instanceof Json.Fields fields ? fields : Json.object();
        return lease instanceof Json.Fields fields
                ? fields.with(
                        "spec", spec.with("holderIdentity", Json.text("")).with("leaseDurationSeconds", Json.number(1)))
                : Json.object();
    }
}
